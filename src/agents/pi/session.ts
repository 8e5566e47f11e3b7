import { messageOf } from "../../util/errors.ts";
import type { AgentSession, Message, SessionSpec } from "../agent.ts";
import type { AgentEvent, ContextUsage, Outcome } from "../events.ts";
import { placeOf } from "../process/own-program.ts";
import { OwnToolCalls } from "../process/own-tool-calls.ts";
import { endProgram, exitOf } from "../process/program-end.ts";
import { compactsAt } from "./compaction.ts";
import { type Asked, PiConnection } from "./connection.ts";
import { PiMessages } from "./messages.ts";
import { failureOf } from "./outcome.ts";
import { NAME, PI, versionOf } from "./program.ts";
import { modelName, type PiModel, type PiRecord, type PiState, type PiStats } from "./records.ts";
import { ownToolName, plainToolName } from "./tools.ts";

/** How long a boundary waits for a reader that has not heard yet what led to it. */
const HEARING_GRACE_MS = 10_000;

type Boundary = Extract<Asked, { kind: "boundary" }>;

export class PiSession implements AgentSession {
  readonly id: string;
  readonly events: AsyncIterable<AgentEvent>;
  readonly #spec: SessionSpec;
  readonly #connection: PiConnection;
  readonly #messages = new PiMessages();
  readonly #ownTools: OwnToolCalls;
  /** What earlier runs of the program have cost, and its model: asked when it starts. */
  readonly #beginning: Promise<{ model?: PiModel; costUsd: number; compacts: boolean }>;
  readonly #waiting = new Map<Boundary, NodeJS.Timeout>();
  #turn: PromiseWithResolvers<void> | undefined;
  #responses = 0;
  #stopping = false;
  #interrupting = false;
  /** How the turn was ended by Baton, which is no failure of the program's. */
  #ended: Outcome | undefined;
  #isIntroduced = false;
  #autoCompact: boolean;
  #closing = false;
  #closed: Promise<void> | undefined;

  constructor(spec: SessionSpec) {
    this.id = spec.sessionId;
    this.#spec = spec;
    this.#autoCompact = spec.autoCompact;
    this.#ownTools = new OwnToolCalls(spec.ownTools);
    this.#connection = new PiConnection(spec, (asked) => this.#asked(asked));
    this.#beginning = this.#begin();
    this.events = this.#run();
  }

  send({ text, verbatim }: Message): void {
    if (this.#closing) return;
    this.#stopping = false;
    this.#interrupting = false;
    this.#responses = 0;
    this.#turn ??= Promise.withResolvers();
    this.#connection.send({ text, expand: !verbatim });
  }

  stopAtBoundary(): void {
    this.#stopping = true;
  }

  goOn(): void {
    this.#stopping = false;
  }

  async interrupt(): Promise<void> {
    if (!this.#turn) return;
    this.#interrupting = true;
    this.#answerBoundaries();
    this.#connection.tell("clear_queue");
    await this.#connection.ask("abort");
  }

  async contextUsage(): Promise<ContextUsage | undefined> {
    try {
      const [{ contextUsage: usage }, { model, compacts }] = await Promise.all([
        this.#connection.ask<PiStats>("get_session_stats"),
        this.#beginning,
      ]);
      if (!usage || usage.tokens === null) return undefined;
      const { tokens, contextWindow: window } = usage;
      if (!this.#autoCompact || !compacts || !model) return { tokens, window, autoCompact: false };
      const autoCompactThreshold = await compactsAt(this.#spec.env, model);
      return { tokens, window, autoCompact: true, autoCompactThreshold };
    } catch {
      // The program has ended.
      return undefined;
    }
  }

  /** What the user's own settings turn off stays off: they are theirs to write. */
  async letCompact(): Promise<boolean> {
    const { compacts } = await this.#beginning;
    if (compacts) this.#autoCompact = true;
    return compacts;
  }

  async costSoFar(): Promise<number | undefined> {
    return this.#messages.costUsd;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing = true;
    this.#connection.forbidCalls();
    this.#answerBoundaries();
    await this.#connection.started;
    const turn = this.#turn?.promise;
    await endProgram({
      session: this.id,
      trace: this.#spec.trace,
      program: this.#connection.program,
      endTurn: turn && (() => this.#interrupted(turn)),
      endInput: () => this.#connection.endInput(),
      giveUp: () => this.#connection.close(),
    });
  }

  async #interrupted(turn: Promise<void>): Promise<void> {
    this.interrupt().catch(() => {});
    await turn;
  }

  async #begin(): Promise<{ model?: PiModel; costUsd: number; compacts: boolean }> {
    try {
      const [{ model, autoCompactionEnabled: compacts }, { cost: costUsd }] = await Promise.all([
        this.#connection.ask<PiState>("get_state"),
        this.#connection.ask<PiStats>("get_session_stats"),
      ]);
      return { ...(model && { model }), costUsd, compacts };
    } catch {
      // The program has ended, which is told as such.
      return { costUsd: 0, compacts: false };
    }
  }

  #asked(asked: Asked): void {
    switch (asked.kind) {
      case "begin":
        void this.#ownTools.offered().then((offered) => {
          const tools = offered.map((tool) => ({ ...tool, name: ownToolName(tool.name) }));
          const { allowedTools: allowed, deniedTools: denied } = this.#spec;
          asked.answer({ tools, allowed, denied, forbidding: this.#connection.forbidding });
        });
        return;
      case "call":
        void this.#ownTools.call(plainToolName(asked.question.name), asked.question.input).then(asked.answer);
        return;
      case "compact":
        asked.answer({ may: this.#autoCompact });
        return;
      case "boundary": {
        if (this.#closing || this.#interrupting) {
          asked.answer({ stop: true });
          return;
        }
        // A reader that is busy elsewhere must not hold the agent.
        const late = setTimeout(() => this.#answerBoundary(asked), HEARING_GRACE_MS);
        this.#waiting.set(asked, late);
      }
    }
  }

  #answerBoundaries(): void {
    for (const asked of this.#waiting.keys()) this.#answerBoundary(asked);
  }

  /** By then the reader has dealt with everything before it, and may have asked for a stop. */
  #answerBoundary(asked: Boundary): void {
    clearTimeout(this.#waiting.get(asked));
    if (!this.#waiting.delete(asked)) return;
    const { maxTurns = Number.POSITIVE_INFINITY } = this.#spec;
    const isOverdue = this.#responses >= maxTurns;
    const stop = this.#stopping || this.#interrupting || this.#closing || isOverdue;
    if (this.#interrupting || this.#closing) this.#ended = { kind: "interrupted" };
    else if (this.#stopping) this.#ended = { kind: "stopped" };
    else if (isOverdue) this.#ended = { kind: "max-turns", message: `the agent took ${maxTurns} turns` };
    asked.answer({ stop });
  }

  async *#read(): AsyncGenerator<AgentEvent> {
    for await (const record of this.#connection.records) {
      if (record.type === "asked") yield* this.#heard(record);
      else if (record.type === "agent_settled") yield* this.#settled();
      else if (record.type === "extension_error") yield* this.#complained(record);
      else if (isInVain(record)) {
        this.#connection.tell("abort_retry");
        yield { type: "activity" };
      } else {
        for (const event of this.#messages.events(record)) {
          if (event.type === "response") this.#responses += 1;
          yield event;
        }
      }
    }
  }

  *#heard(asked: Asked): Generator<AgentEvent> {
    if (asked.kind === "boundary") this.#answerBoundary(asked);
    if (asked.kind === "compact" && this.#autoCompact) yield this.#messages.compacts();
    else yield { type: "activity" };
  }

  /** Extensions fail in many ways, and only what keeps a message from the model ends a turn. */
  async *#complained({
    event,
    error,
  }: Extract<PiRecord, { type: "extension_error" }>): AsyncGenerator<AgentEvent> {
    const isOurs = event === "send_user_message" || event === "prompt" || event === "command";
    if (!isOurs || !this.#turn) {
      yield { type: "activity" };
      return;
    }
    this.#messages.refused(error);
    yield* this.#settled();
  }

  async *#settled(): AsyncGenerator<AgentEvent> {
    const stats = await this.#connection.ask<PiStats>("get_session_stats").catch(() => undefined);
    const { model, costUsd: earlier } = await this.#beginning;
    const window = stats?.contextUsage?.contextWindow ?? model?.contextWindow;
    const own = this.#messages.outcome();
    const outcome = this.#interrupting ? ({ kind: "interrupted" } as const) : (this.#ended ?? own);
    this.#ended = undefined;
    this.#interrupting = false;
    // Before its reader hears of it, who may close the session then, or begin another turn.
    this.#turn?.resolve();
    this.#turn = undefined;
    yield {
      type: "turn:end",
      outcome,
      costUsd: stats ? Math.max(0, stats.cost - earlier) : this.#messages.costUsd,
      windows: model && window ? { [modelName({ ...model, model: model.id })]: window } : {},
    };
    yield { type: "idle" };
  }

  async *#run(): AsyncGenerator<AgentEvent> {
    let message: string | undefined;
    try {
      yield* this.#introduced();
      yield* this.#read();
    } catch (error) {
      message = messageOf(error);
    }
    this.#turn?.resolve();
    this.#turn = undefined;
    const { program } = this.#connection;
    const said = program?.said.replace(/^.*No project session found with id .*$/m, "").trim();
    const exit = exitOf(program, message, said);
    if (!this.#isIntroduced && !this.#closing && exit.code)
      yield* this.#unfit(said || `${NAME} ended at once.`);
    yield exit;
  }

  /** It refuses its own command line, say for a model that it does not have, or its Node is too old. */
  *#unfit(message: string): Generator<AgentEvent> {
    const outcome = { kind: "failed", code: "unfit_program", message, retryable: false } as const;
    yield { type: "turn:end", outcome, costUsd: 0, windows: {} };
    yield { type: "idle" };
  }

  async *#introduced(): AsyncGenerator<AgentEvent> {
    const { model } = await this.#beginning;
    if (!model) return;
    this.#isIntroduced = true;
    const version = await versionOf(placeOf(PI, this.#spec.env, this.#spec.executable));
    const program = version === undefined ? NAME : `${NAME} ${version}`;
    yield {
      type: "init",
      sessionId: this.id,
      model: modelName({ ...model, model: model.id }),
      program,
    };
  }
}

/** pi would ask a few times more within seconds, when it is known that the limit lasts. */
function isInVain(record: PiRecord): boolean {
  if (record.type !== "auto_retry_start") return false;
  const outcome = failureOf(record.errorMessage);
  return outcome.kind === "limited" && (outcome.resetsAt ?? 0) > Date.now() + record.delayMs;
}
