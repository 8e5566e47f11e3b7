import { randomUUID } from "node:crypto";
import { sessionMark } from "../../processes/marks.ts";
import { messageOf } from "../../util/errors.ts";
import type { AgentEvent, AgentSession, ContextUsage, Message, Outcome, SessionSpec } from "../agent.ts";
import { textField } from "../call-input.ts";
import { Queue } from "../process/output.ts";
import { endProgram, exitOf } from "../process/program-end.ts";
import { StartedProgram } from "../started-program.ts";
import { TurnCommands } from "./commands.ts";
import { LostSessionError, type Opened, openSession } from "./opening.ts";
import { type Cancelled, isDead, outcomeOf, outcomeOfError } from "./outcome.ts";
import { type OwnServer, ownServer } from "./own-tools.ts";
import { Permissions } from "./permissions.ts";
import type { Command } from "./program.ts";
import type { ProgramRecord } from "./program-record.ts";
import type { Quirks } from "./quirks.ts";
import { Recording } from "./recording.ts";
import { notStarted } from "./repository.ts";
import { EndedError, type Fields, RefusedError, Rpc } from "./rpc.ts";
import { StoppedTurns } from "./stopped-turns.ts";
import { fieldsIn } from "./tools.ts";
import { type Earlier, earlierRuns } from "./transcript.ts";
import { Updates } from "./updates.ts";
import { Window } from "./window.ts";

/** The program that a session runs on. */
export interface AcpProgram {
  /** As people know it. */
  name: string;
  command: Command;
  quirks: Quirks;
  /** It can be started without what came with a repository. */
  leavesOut: boolean;
}

/** A live session of the program. */
interface Live {
  rpc: Rpc;
  opened: Opened;
  updates: Updates;
  record?: ProgramRecord;
}

export class AcpSession implements AgentSession {
  readonly id: string;
  readonly #spec: SessionSpec;
  readonly #program: AcpProgram;
  readonly #events = new Queue<AgentEvent>();
  readonly #started: Promise<StartedProgram | undefined>;
  readonly #live: Promise<Live>;
  #rpc: Rpc | undefined;
  #updates: Updates | undefined;
  #window = new Window();
  readonly #recording: Recording;
  #ownServer: OwnServer | undefined;
  #costBefore = 0;
  /** Of the turn that is running. */
  #turn: { isOver: Promise<void>; cancelled: Cancelled; commands?: TurnCommands } | undefined;
  #turns: Promise<void> = Promise.resolve();
  readonly #permissions: Permissions;
  readonly #stopped = new StoppedTurns();
  #stopping = false;
  #closing = false;
  #closed: Promise<void> | undefined;

  constructor(spec: SessionSpec, program: AcpProgram) {
    this.id = spec.sessionId;
    this.#spec = spec;
    this.#program = program;
    this.#recording = new Recording(spec);
    this.#permissions = new Permissions(spec, (event) => this.#tell(event));
    this.#started = this.#start();
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
    this.#updates?.cut();
    this.#cancel("interrupt");
    await turn.commands?.end();
  }

  async contextUsage(): Promise<ContextUsage | undefined> {
    const { size, fill } = this.#window;
    if (size === undefined || this.#closing) return undefined;
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
    this.#updates?.cut();
    this.#cancel("interrupt");
    const program = await this.#started;
    const turn = this.#turn?.isOver;
    await endProgram({
      session: this.id,
      trace: this.#spec.trace,
      program,
      endTurn: turn && (() => turn),
      endInput: () => this.#rpc?.endInput(),
      giveUp: () => this.#ended(program),
    });
  }

  /** Undefined where it could not be started. */
  async #start(): Promise<StartedProgram | undefined> {
    const { quirks, command } = this.#program;
    const { cwd, env, trace, ownTools, box } = this.#spec;
    const [file, ...args] = command;
    if (!this.#spec.readsRepository && !this.#program.leavesOut) return undefined;
    try {
      if (ownTools.names.length > 0) this.#ownServer = await ownServer(ownTools);
      if (this.#ownServer) await box?.reach(this.#ownServer.port);
      if (this.#closing) return undefined;
      const mark = sessionMark(this.id);
      const program = new StartedProgram(file, args, {
        cwd,
        env: { ...quirks.env?.(this.#spec), ...env, [mark.name]: mark.value },
        trace,
        launch: box?.launch,
        ended: () => this.#ownServer?.close(),
      });
      this.#rpc = new Rpc(program, {
        told: (method, params) => this.#told(method, params),
        asked: (method, params) => this.#asked(method, params),
      });
      program.child.once("error", (error) => this.#ended(program, error));
      void program.silent.then(() => this.#ended(program));
      return program;
    } catch (error) {
      this.#ended(undefined, error);
      return undefined;
    }
  }

  async #open(): Promise<Live> {
    const spec = this.#spec;
    const { name, quirks } = this.#program;
    const earlier = spec.resume ? await earlierRuns(spec) : undefined;
    if (earlier) await quirks.bring?.(spec, earlier.programSession);
    await this.#started;
    const rpc = this.#rpc;
    if (!spec.readsRepository && !this.#program.leavesOut) throw new Error(notStarted(name));
    if (!rpc) throw new EndedError(`${name} could not be started.`);
    const opened = await openSession(rpc, {
      spec,
      quirks,
      name,
      ...(earlier && { programSession: earlier.programSession }),
      ...(this.#ownServer && { ownServer: this.#ownServer }),
    }).catch((error: unknown) => {
      if (error instanceof LostSessionError) this.#recording.lost();
      throw error;
    });
    return this.#begun(rpc, opened, earlier);
  }

  #begun(rpc: Rpc, opened: Opened, earlier: Earlier | undefined): Live {
    const { ownTools } = this.#spec;
    this.#window = new Window(earlier?.window);
    this.#costBefore = earlier?.costUsd ?? 0;
    const { quirks } = this.#program;
    const record = quirks.record?.(this.#spec.env, opened.programSession);
    const updates = new Updates({
      quirks,
      model: opened.model,
      ownTools: ownTools.names,
      window: this.#window,
      ...(record && { record }),
      newId: randomUUID,
    });
    this.#updates = updates;
    this.#tell({ type: "init", sessionId: this.id, model: opened.model, program: opened.program });
    return { rpc, opened, updates, ...(record && { record }) };
  }

  /** One turn, from a message to what the program says became of it. */
  async #run({ text }: Message): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#turn = { isOver: over.promise, cancelled: undefined };
    const outcome = await this.#prompt(text).catch((error: unknown) => this.#failure(error));
    const { cancelled } = this.#turn;
    this.#permissions.callOff();
    for (const event of this.#updates?.turnEnds(cancelled !== undefined) ?? []) this.#tell(event);
    await this.#remember(cancelled, outcome);
    // Before its reader hears of it, who may close the session then, or begin another turn.
    this.#turn = undefined;
    this.#stopping = false;
    if (outcome) {
      this.#tell(this.#turnEnd(outcome));
      this.#tell({ type: "idle" });
    }
    over.resolve();
  }

  /** Of a program that forgets a cancelled turn, what is to be told again. */
  async #remember(cancelled: Cancelled, outcome: Outcome | undefined): Promise<void> {
    if (!this.#program.quirks.forgetsCancelled) return;
    const { record } = await this.#live.catch(() => ({ record: undefined }));
    if (cancelled) this.#stopped.stopped(record?.outputs() ?? new Map());
    else if (outcome?.kind === "completed") this.#stopped.remembered();
  }

  async #prompt(text: string): Promise<Outcome> {
    const { rpc, opened, updates } = await this.#live;
    const message = [...(opened.preface === undefined ? [] : [opened.preface]), text];
    delete opened.preface;
    const said = [...this.#stopped.retold, ...message];
    this.#stopped.begins(message.join("\n\n"));
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
    const signs = this.#updates?.signs ?? { text: "", hasFailed: true };
    if (error instanceof EndedError) return undefined;
    if (error instanceof RefusedError && isDead(error)) {
      void this.#started.then((program) => program?.child.kill("SIGKILL"));
      return undefined;
    }
    if (error instanceof RefusedError) return outcomeOfError(error, signs, this.#turn?.cancelled);
    const retryable = error instanceof LostSessionError;
    return { kind: "failed", code: "unfit_program", message: messageOf(error), retryable };
  }

  #turnEnd(outcome: Outcome): AgentEvent {
    const { costUsd: all, model = "" } = this.#updates ?? {};
    if (all !== undefined) this.#recording.cost(all);
    // Some count on where an earlier run ended.
    const costUsd = all !== undefined && all >= this.#costBefore ? all - this.#costBefore : all;
    const { size } = this.#window;
    return {
      type: "turn:end",
      outcome,
      ...(costUsd !== undefined && { costUsd }),
      windows: size === undefined ? {} : { [model]: size },
    };
  }

  #told(method: string, params: Fields): void {
    // What an earlier run said is told again while the session is loaded.
    if (method !== "session/update" || !this.#updates || !this.#turn) return;
    const { model } = this.#updates;
    for (const event of this.#updates.events(fieldsIn(params.update))) this.#tell(event);
    if (this.#updates.model !== model) void this.#modelIs(this.#updates.model);
    this.#stopHere();
  }

  async #modelIs(model: string): Promise<void> {
    const { opened } = await this.#live;
    this.#tell({ type: "init", sessionId: this.id, model, program: opened.program });
  }

  #asked(method: string, params: Fields): Promise<unknown> | undefined {
    const updates = this.#updates;
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

  /** At the end of tools, where the turn is to stop. */
  #stopHere(): void {
    if (this.#stopping && this.#updates?.isAtBoundary) this.#cancel("boundary");
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
    this.#stopped.add(event);
    if (event.type !== "user") this.#events.push(event);
  }

  #ended(program: StartedProgram | undefined, error?: unknown): void {
    this.#ownServer?.close();
    // Some log what they do, which says nothing where they ended in order.
    const said = program?.child.exitCode === 0 ? "" : program?.said;
    void this.#turns.then(() => {
      this.#tell(exitOf(program, error === undefined ? undefined : messageOf(error), said));
      this.#events.end();
      this.#recording.close();
    });
  }
}
