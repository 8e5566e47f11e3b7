import { sessionMark } from "../../processes/marks.ts";
import { messageOf } from "../../util/errors.ts";
import { isFields } from "../../util/json.ts";
import type { AgentSession, Message, SessionSpec } from "../agent.ts";
import type { AgentEvent, ContextUsage } from "../events.ts";
import { foundPlaceOf } from "../process/own-program.ts";
import { OwnToolCalls } from "../process/own-tool-calls.ts";
import { endProgram, exitOf } from "../process/program-end.ts";
import { answerTo } from "./answers.ts";
import { Boundary, type WaitsAt } from "./boundary/boundary.ts";
import { Gate } from "./boundary/gate.ts";
import { nativeProgram } from "./box/native-program.ts";
import { towardsModel } from "./box/needs.ts";
import { bringTranscript, shareTranscript } from "./box/sessions-inside.ts";
import { Connection, type Fields, type Told } from "./connection.ts";
import { CodexMessages } from "./messages.ts";
import { compactsAt } from "./models.ts";
import { failing, introduced, lastWords, withoutHooks } from "./opening.ts";
import { type Cut, outcomeOf } from "./outcome.ts";
import { CODEX } from "./program.ts";
import { threadParams } from "./thread.ts";

/** A turn that the program did not even begin, among what it tells. */
const NOT_BEGUN = "baton/turnNotBegun";

/** A thread that was opened in a live program. */
interface Opened {
  connection: Connection;
  messages: CodexMessages;
  model: string;
  program: string;
}

export class CodexSession implements AgentSession {
  readonly identified: Promise<void>;
  readonly events: AsyncIterable<AgentEvent>;
  readonly #spec: SessionSpec;
  readonly #opened: Promise<Opened>;
  #id: string;
  #connection: Connection | undefined;
  readonly #boundary: Boundary;
  readonly #tools: OwnToolCalls;
  #live: Opened | undefined;
  /** Of the turn that is running: resolves at its end. */
  #turn: PromiseWithResolvers<void> | undefined;
  #turnId: string | undefined;
  /** Aborted when nobody need be asked any more about what the turn wants to do. */
  #questions = new AbortController();
  /** Its transcript, which is in a container. */
  #isShared = false;
  #cut: Cut | undefined;
  /** Answers before this turn. */
  #answersBefore = 0;
  #compacts: boolean;
  #stopping = false;
  #closing = false;
  #closed: Promise<void> | undefined;
  /** Resolves when nothing more is to be learned. */
  readonly #over = Promise.withResolvers<void>();

  constructor(spec: SessionSpec) {
    this.#spec = spec;
    this.#tools = new OwnToolCalls(spec.ownTools);
    this.#id = spec.sessionId;
    this.#compacts = spec.autoCompact;
    this.#boundary = new Boundary({
      whyCut: (at) => this.#whyCut(at),
      cut: (why) => this.#cutShort(why),
      asks: () => this.#live?.messages.asks(),
    });
    this.#opened = this.#open();
    this.identified = this.#opened.then(
      () => {},
      () => {},
    );
    this.events = this.#run();
  }

  get id(): string {
    return this.#id;
  }

  send({ text }: Message): void {
    if (this.#closing) return;
    this.#stopping = false;
    this.#turn ??= Promise.withResolvers();
    const input = [{ type: "text", text, text_elements: [] }];
    this.#opened
      .then(async ({ connection, messages }) => {
        messages.beginsTurn();
        const { turn } = await connection.ask("turn/start", { threadId: this.#id, input });
        if (isFields(turn)) this.#turnId = String(turn.id);
      })
      .catch((error: unknown) => {
        this.#live?.connection.told.push({ method: NOT_BEGUN, params: { message: messageOf(error) } });
      });
  }

  stopAtBoundary(): void {
    this.#stopping = true;
  }

  goOn(): void {
    this.#stopping = false;
  }

  async interrupt(): Promise<void> {
    if (this.#turn) await this.#cutShort("interrupted");
  }

  async contextUsage(): Promise<ContextUsage | undefined> {
    await Promise.race([this.#live?.messages.measured, this.#over.promise]);
    const usage = this.#live?.messages.context;
    if (!usage || this.#closing) return undefined;
    const autoCompactThreshold = this.#spec.autoCompact ? compactsAt(usage.window) : usage.window;
    return { ...usage, autoCompact: this.#compacts, ...(this.#compacts && { autoCompactThreshold }) };
  }

  async letCompact(): Promise<boolean> {
    this.#compacts = true;
    return !this.#closing;
  }

  /** The program does not tell. What each response has cost by list prices, it was told with. */
  async costSoFar(): Promise<undefined> {}

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #open(): Promise<Opened> {
    const spec = this.#spec;
    const found = foundPlaceOf(CODEX, spec.env, spec.executable);
    const { box } = spec;
    if (spec.resume) await bringTranscript(spec, spec.sessionId);
    const opening = Gate.open(box?.folder);
    const command = box ? nativeProgram(found) : found;
    const ways = box?.model ? towardsModel(spec.env, box.model) : [];
    const connection = new Connection(command, ["app-server", ...ways], {
      cwd: spec.cwd,
      launch: box?.launch,
      env: { ...spec.env, [sessionMark(spec.sessionId).name]: spec.sessionId },
      trace: spec.trace,
      asked: (method, params) => this.#asked(method, params),
      overheard: (told) => this.#overheard(told),
      ended: () => void opening.then((gate) => gate.close()).catch(() => {}),
    });
    this.#connection = connection;
    const [gate, tools, program] = await Promise.all([
      opening,
      this.#tools.offered(),
      introduced(connection, box?.model?.token),
    ]);
    this.#boundary.opened(gate);
    const method = spec.resume ? "thread/resume" : "thread/start";
    const { thread, model: named } = await connection.ask(method, threadParams(spec, gate.command, tools));
    if (isFields(thread)) this.#id = String(thread.id);
    const model = String(named);
    const messages = new CodexMessages({
      model,
      isResumed: spec.resume,
      cwd: spec.cwd,
      ownTools: spec.ownTools.names,
    });
    this.#live = { connection, messages, model, program };
    return this.#live;
  }

  /** At once, also while nobody reads. */
  #overheard(told: Told): void {
    const { method, params } = told;
    if (method === "hook/started") this.#heardHook(told);
    if (params.threadId !== this.#id) return;
    if (method === "turn/started") {
      this.#turn ??= Promise.withResolvers();
      if (isFields(params.turn)) this.#turnId = String(params.turn.id);
    }
    if (method === "turn/completed") this.#turnIsOver();
  }

  #heardHook(told: Told): void {
    const { threadId, turnId, run } = told.params;
    const at = isFields(run) ? run.eventName : undefined;
    const isOurs = isFields(run) && run.source === "sessionFlags";
    if (!isOurs || (at !== "preModelRequest" && at !== "preCompact")) return;
    if (threadId !== this.#id) {
      this.#boundary.passAside();
      return;
    }
    if (typeof turnId === "string") this.#turnId = turnId;
    if (this.#spec.box && !this.#isShared) void this.#share();
    this.#boundary.waitsAt(at, told);
  }

  /** Before its first work: from then on it can be found outside. */
  async #share(): Promise<void> {
    this.#isShared = await shareTranscript(this.#spec, this.#id).catch(() => false);
  }

  #whyCut(at: WaitsAt): Cut | undefined {
    if (this.#closing) return "interrupted";
    if (this.#stopping) return "stopped";
    if (at === "preCompact") return this.#compacts ? undefined : "out-of-context";
    const answers = (this.#live?.messages.responses ?? 0) - this.#answersBefore;
    return answers >= (this.#spec.maxTurns ?? Number.POSITIVE_INFINITY) ? "max-turns" : undefined;
  }

  async #cutShort(cut: Cut): Promise<void> {
    const { connection } = await this.#opened;
    const turnId = this.#turnId;
    if (!this.#turn || turnId === undefined) return;
    this.#cut ??= cut;
    this.#questions.abort();
    const over = this.#turn.promise;
    try {
      await connection.ask("turn/interrupt", { threadId: this.#id, turnId });
    } catch (error) {
      this.#cut = undefined;
      this.#questions = new AbortController();
      throw error;
    }
    await over;
    if (cut === "interrupted") await this.#endCommands();
  }

  /** An interrupted turn leaves its commands running. */
  async #endCommands(): Promise<void> {
    await this.#live?.connection
      .ask("thread/backgroundTerminals/clean", { threadId: this.#id })
      .catch(() => {});
  }

  #turnIsOver(): void {
    this.#turn?.resolve();
    this.#turn = undefined;
    this.#turnId = undefined;
    this.#boundary.turnIsOver();
  }

  async #asked(method: string, params: Fields): Promise<unknown> {
    const { permit } = this.#spec;
    return answerTo(method, params, {
      tools: this.#tools,
      ...(permit && { permit }),
      signal: this.#questions.signal,
      inputOf: (item) => this.#live?.messages.inputOf(item),
      refused: (call, because) => this.#live?.messages.refused(call, because),
    });
  }

  async *#hear(told: Told): AsyncGenerator<AgentEvent> {
    const { messages, connection } = await this.#opened;
    const { method, params } = told;
    if (method === NOT_BEGUN) {
      this.#turnIsOver();
      yield* failing("not_begun", String(params.message));
    } else if (params.threadId !== undefined && params.threadId !== this.#id) yield { type: "activity" };
    else if (method === "hook/started") this.#boundary.heard(told);
    else if (method === "turn/completed") yield* this.#turnEnds(isFields(params.turn) ? params.turn : {});
    else {
      yield* messages.events(told);
      if (messages.responses > 0 && !this.#boundary.hasWaited) throw new Error(withoutHooks(connection));
    }
  }

  async *#turnEnds(turn: Fields): AsyncGenerator<AgentEvent> {
    const { messages } = await this.#opened;
    const cut = this.#cut;
    this.#cut = undefined;
    this.#questions = new AbortController();
    this.#answersBefore = messages.responses;
    const outcome = outcomeOf(turn, cut, messages.text, messages.limits);
    if (outcome.kind === "interrupted") {
      await this.#endCommands();
      yield* messages.interrupted();
    } else yield* messages.endsTurn();
    yield { type: "turn:end", outcome, windows: messages.windows };
    yield { type: "idle" };
  }

  async *#run(): AsyncGenerator<AgentEvent> {
    let message: string | undefined;
    try {
      const { connection, model, program } = await this.#opened;
      yield { type: "init", sessionId: this.#id, model, program };
      for await (const told of connection.told) yield* this.#hear(told);
    } catch (error) {
      const { program } = this.#connection ?? {};
      const hasEnded = program?.hasEnded;
      program?.child.kill("SIGTERM");
      await program?.silent;
      message = hasEnded && !this.#live ? lastWords(program?.said) : messageOf(error);
      if (!this.#closing) yield* failing("unfit_program", message);
    }
    this.#turnIsOver();
    this.#over.resolve();
    yield exitOf(this.#connection?.program, message);
  }

  async #close(): Promise<void> {
    this.#closing = true;
    this.#over.resolve();
    this.#questions.abort();
    const connection = this.#connection;
    const { trace, sessionId } = this.#spec;
    const endTurn = async () => {
      this.#boundary.decide();
      await this.#cutShort("interrupted").catch(() => {});
    };
    await endProgram({
      session: sessionId,
      trace,
      program: connection?.program,
      endTurn: this.#turn && endTurn,
      endInput: () => connection?.endInput(),
      giveUp: () => connection?.told.end(),
    });
  }
}
