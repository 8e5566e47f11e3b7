import { messageOf } from "../../util/errors.ts";
import type { AgentSession, Message, SessionSpec } from "../agent.ts";
import { textField } from "../call-input.ts";
import type { AgentEvent, ContextUsage, Outcome } from "../events.ts";
import { Queue } from "../process/output.ts";
import { endProgram, exitOf } from "../process/program-end.ts";
import type { StartedProgram } from "../started-program.ts";
import { Boundary, type Decision } from "./boundary/boundary.ts";
import type { Hold } from "./boundary/hold.ts";
import { TurnCommands } from "./commands.ts";
import { SilentProgramError } from "./hello.ts";
import { type Live, openLive } from "./live.ts";
import { LostSessionError } from "./opening.ts";
import { Permissions } from "./permissions.ts";
import { EndedError, type Fields, RefusedError } from "./rpc.ts";
import { type AcpProgram, RunningProgram } from "./running-program.ts";
import { StoppedTurns } from "./stopped-turns.ts";
import { type Cancelled, isDead, outcomeOf, outcomeOfError } from "./told/outcome.ts";
import { fieldsIn } from "./told/tools.ts";
import { Recording } from "./transcript/recording.ts";

interface Turn {
  isOver: Promise<void>;
  cancelled: Cancelled;
  commands?: TurnCommands;
}

export class AcpSession implements AgentSession {
  readonly id: string;
  readonly #spec: SessionSpec;
  readonly #program: AcpProgram;
  readonly #events = new Queue<AgentEvent>();
  readonly #running: Promise<RunningProgram | undefined>;
  readonly #live: Promise<Live>;
  /** Once it has begun. */
  #begun: Live | undefined;
  readonly #recording: Recording;
  /** Of the turn that is running. */
  #turn: Turn | undefined;
  #turns: Promise<void> = Promise.resolve();
  readonly #permissions: Permissions;
  readonly #boundary: Boundary;
  #hold: Hold | undefined;
  readonly #stopped: StoppedTurns | undefined;
  #stopping = false;
  #closing = false;
  #closed: Promise<void> | undefined;

  constructor(spec: SessionSpec, program: AcpProgram) {
    this.id = spec.sessionId;
    this.#spec = spec;
    this.#program = program;
    this.#recording = new Recording(spec);
    this.#permissions = new Permissions(spec, (event) => this.#tell(event));
    this.#stopped = program.quirks.forgetsCancelled && new StoppedTurns();
    this.#boundary = new Boundary({
      isReached: () => this.#begun?.updates.isAtBoundary ?? false,
      hasAnswered: () => this.#begun?.updates.hasAnswered ?? false,
      read: () => this.#events.drained(),
    });
    this.#running = this.#start();
    this.#live = this.#open();
    this.#live.catch(() => {});
  }

  get events(): AsyncIterable<AgentEvent> {
    return this.#events;
  }

  send(message: Message): void {
    if (this.#closing) return;
    this.#stopping = false;
    this.#turns = this.#turns.then(() => this.#run(message));
  }

  stopAtBoundary(): void {
    this.#stopping = true;
    this.#stopHere();
  }

  goOn(): void {
    this.#stopping = false;
  }

  async interrupt(): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    this.#begun?.updates.cut();
    this.#cancel("interrupt");
    await turn.commands?.end();
  }

  async contextUsage(): Promise<ContextUsage | undefined> {
    const { size, fill } = this.#begun?.window ?? {};
    if (size === undefined || fill === undefined || this.#closing) return undefined;
    return { tokens: fill.tokens, window: size, autoCompact: this.#spec.autoCompact };
  }

  async letCompact(): Promise<boolean> {
    return false;
  }

  async costSoFar(): Promise<number | undefined> {
    return undefined;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing = true;
    this.#permissions.callOff();
    this.#begun?.updates.cut();
    this.#cancel("interrupt");
    const running = await this.#running;
    const turn = this.#turn?.isOver;
    await endProgram({
      session: this.id,
      trace: this.#spec.trace,
      program: running?.started,
      endTurn: turn && (() => turn),
      endInput: () => running?.rpc.endInput(),
      giveUp: () => this.#ended(running?.started),
    });
  }

  /** Undefined where it could not be started, or must not be. */
  async #start(): Promise<RunningProgram | undefined> {
    if (!this.#spec.readsRepository && !this.#program.leavesOut) return undefined;
    try {
      const running = await RunningProgram.start(this.#spec, this.#program, {
        told: (method, params) => this.#told(method, params),
        asked: (method, params) => this.#asked(method, params),
        waits: () => this.#waits(),
        isWanted: () => !this.#closing,
        ended: (program, error) => this.#ended(program, error),
      });
      this.#hold = running?.beside.hold;
      return running;
    } catch (error) {
      this.#ended(undefined, error);
      return undefined;
    }
  }

  async #open(): Promise<Live> {
    try {
      const live = await openLive(this.#spec, this.#program, this.#running);
      const { model, program } = live.opened;
      this.#begun = live;
      this.#tell({ type: "init", sessionId: this.id, model, program });
      return live;
    } catch (error) {
      if (error instanceof LostSessionError) this.#recording.lost();
      if (error instanceof SilentProgramError) await this.#giveUp(error);
      throw error;
    }
  }

  /** Of a program that runs, and does not answer. */
  async #giveUp(why: Error): Promise<void> {
    const running = await this.#running;
    this.#ended(running?.started, why);
    running?.started.child.kill("SIGKILL");
  }

  /** One turn, from a message to what the program says became of it. */
  async #run({ text }: Message): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#turn = { isOver: over.promise, cancelled: undefined };
    const outcome = await this.#prompt(text).catch((error: unknown) => this.#failure(error));
    const { cancelled } = this.#turn;
    this.#permissions.callOff();
    for (const event of this.#begun?.updates.turnEnds(cancelled !== undefined) ?? []) this.#tell(event);
    if (cancelled) this.#stopped?.forgotten(this.#begun?.updates.outputs);
    else if (outcome?.kind === "completed") this.#stopped?.remembered();
    // Before its reader hears of it, who may close the session then, or begin another turn.
    this.#turn = undefined;
    this.#stopping = false;
    this.#hold?.reset();
    if (outcome) {
      this.#tell(this.#turnEnd(outcome));
      this.#tell({ type: "idle" });
    }
    over.resolve();
  }

  async #prompt(text: string): Promise<Outcome> {
    const { rpc, opened, updates } = await this.#live;
    const message = [...(opened.preface === undefined ? [] : [opened.preface]), text];
    delete opened.preface;
    const said = [...(this.#stopped?.retold ?? []), ...message];
    this.#stopped?.begins(message.join("\n\n"));
    if (this.#turn && this.#program.quirks.leavesCommands) {
      this.#turn.commands = new TurnCommands(this.id);
      await this.#turn.commands.begun;
    }
    this.#recording.begin(opened.programSession);
    this.#tell({ type: "user", text });
    updates.turnBegins(said.join("\n"));
    const prompt = said.map((each) => ({ type: "text", text: each }));
    if (this.#turn?.cancelled) return { kind: "interrupted" };
    const result = await rpc.ask("session/prompt", { sessionId: opened.programSession, prompt });
    for (const event of updates.turnEnds(this.#turn?.cancelled !== undefined, result)) this.#tell(event);
    return outcomeOf(result, updates.signs, this.#turn?.cancelled);
  }

  /** Undefined where the program has ended: its end tells the rest. */
  #failure(error: unknown): Outcome | undefined {
    const signs = this.#begun?.updates.signs ?? { text: "", words: "", hasFailed: true };
    if (!this.#turn?.cancelled) this.#begun?.updates.fails();
    if (error instanceof EndedError) return undefined;
    if (error instanceof RefusedError && isDead(error)) {
      void this.#running.then((running) => running?.started.child.kill("SIGKILL"));
      return undefined;
    }
    if (error instanceof RefusedError) return outcomeOfError(error, signs, this.#turn?.cancelled);
    const retryable = error instanceof LostSessionError;
    return { kind: "failed", code: "unfit_program", message: messageOf(error), retryable };
  }

  #turnEnd(outcome: Outcome): AgentEvent {
    const { updates, window, costBefore = 0 } = this.#begun ?? {};
    const { costUsd: all, model = "" } = updates ?? {};
    if (all !== undefined) this.#recording.cost(all);
    // Some count on where an earlier run ended.
    const costUsd = all !== undefined && all >= costBefore ? all - costBefore : all;
    const size = window?.size;
    return {
      type: "turn:end",
      outcome,
      ...(costUsd !== undefined && { costUsd }),
      windows: size === undefined ? {} : { [model]: size },
    };
  }

  #told(method: string, params: Fields): void {
    // What an earlier run said is told again while the session is loaded.
    if (method !== "session/update" || !this.#begun || !this.#turn) return;
    const { updates, opened } = this.#begun;
    const { model: before } = updates;
    for (const event of updates.events(fieldsIn(params.update))) this.#tell(event);
    const { model } = updates;
    if (model !== before) this.#tell({ type: "init", sessionId: this.id, model, program: opened.program });
    this.#boundary.heard();
    this.#stopHere();
  }

  #asked(method: string, params: Fields): Promise<unknown> | undefined {
    const updates = this.#begun?.updates;
    if (method !== "session/request_permission" || !updates) return undefined;
    const asked = fieldsIn(params.toolCall);
    for (const event of updates.asked(asked)) this.#tell(event);
    const call = updates.call(textField(asked, "toolCallId") ?? "");
    return this.#permissions.answer(
      call,
      params.options,
      this.#closing || this.#turn?.cancelled !== undefined,
    );
  }

  /** At the end of tools, where the turn is to stop, of a program that does not wait there. */
  #stopHere(): void {
    if (this.#hold && !this.#boundary.isPassed) return;
    if (!this.#stopping || !this.#begun?.updates.isAtBoundary) return;
    this.#begun.updates.endsHere();
    this.#cancel("boundary");
  }

  /** Whether the program asks its model again. */
  #waits(): Promise<Decision> {
    const turn = this.#turn;
    return this.#boundary.asked(() => this.#decide(turn));
  }

  /** Of the turn in which it was asked, which may be over by now. */
  #decide(turn: Turn | undefined): Decision {
    if (turn !== this.#turn || turn?.cancelled || this.#closing) return "stop";
    if (!turn || !this.#stopping || !this.#begun?.updates.isAtBoundary) return "go on";
    if (this.#hold?.stopsByAnswer) turn.cancelled = "boundary";
    else this.#cancel("boundary");
    return "stop";
  }

  #cancel(why: Exclude<Cancelled, undefined>): void {
    const turn = this.#turn;
    if (!turn || turn.cancelled) return;
    turn.cancelled = why;
    this.#permissions.callOff();
    void this.#live.then(
      ({ rpc, opened }) => rpc.tell("session/cancel", { sessionId: opened.programSession }),
      () => {},
    );
  }

  #tell(event: AgentEvent): void {
    this.#recording.add(event);
    this.#stopped?.add(event);
    if (event.type !== "user") this.#events.push(event);
  }

  #ended(program: StartedProgram | undefined, error?: unknown): void {
    // Some log what they do, which says nothing where they ended in order.
    const said = program?.child.exitCode === 0 ? "" : program?.said;
    void this.#turns.then(() => {
      this.#tell(exitOf(program, error === undefined ? undefined : messageOf(error), said));
      this.#events.end();
      this.#recording.close();
    });
  }
}
