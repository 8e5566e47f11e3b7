import { isFields } from "../../util/json.ts";
import type { AgentEvent, BackgroundTask, ContextUsage } from "../events.ts";
import { CallBook } from "./calls/call-book.ts";
import type { Surroundings } from "./calls/calls.ts";
import type { Fields, Told } from "./connection.ts";
import { Limits } from "./limits.ts";
import { codeOf, plain } from "./outcome.ts";
import { listCost } from "./prices.ts";
import { usageIn } from "./usage.ts";

interface Options extends Surroundings {
  model: string;
  /** The program tells a response as it comes, but not of a thread that it has resumed. */
  isResumed: boolean;
}

/** Turns what the program tells of its thread into the contract's events. */
export class CodexMessages {
  readonly limits = new Limits();
  readonly #model: string;
  readonly #isResumed: boolean;
  readonly #calls: CallBook;
  readonly #measured = Promise.withResolvers<void>();
  /** Ends of calls, until the response that made them was told. */
  #held: AgentEvent[] = [];
  #isAnswering = false;
  #responses = 0;
  #totalTokens = 0;
  #background: string[] = [];
  #context: Pick<ContextUsage, "tokens" | "window"> | undefined;
  #compaction: { before: number | undefined; after?: number } | undefined;
  /** Of this turn. */
  #text = "";
  /** What a person said to calls that they did not want, by call. */
  readonly #refusals = new Map<string, string>();

  constructor({ model, isResumed, ...around }: Options) {
    this.#model = model;
    this.#isResumed = isResumed;
    this.#calls = new CallBook(around);
  }

  /** What was said last in this turn. */
  get text(): string {
    return this.#text;
  }

  /** How many answers there were in this run of the program. */
  get responses(): number {
    return this.#responses;
  }

  get context(): Pick<ContextUsage, "tokens" | "window"> | undefined {
    return this.#context;
  }

  /** Resolves when the program has told of its window: after its first answer, and the calls in it. */
  get measured(): Promise<void> {
    return this.#measured.promise;
  }

  get windows(): Record<string, number> {
    return this.#context ? { [this.#model]: this.#context.window } : {};
  }

  beginsTurn(): void {
    this.#text = "";
  }

  /** The model is asked: the calls that come belong to its answer. */
  asks(): void {
    this.#isAnswering = true;
  }

  inputOf(item: string): unknown {
    return this.#calls.open.get(item)?.calls.map(({ input }) => input);
  }

  refused(call: string, because: string): void {
    this.#refusals.set(call, because);
  }

  *events({ method, params }: Told): Generator<AgentEvent> {
    const item = isFields(params.item) ? params.item : {};
    switch (method) {
      case "rawResponse/completed":
        yield* this.#response(String(params.responseId), params.usage);
        return;
      case "rawResponseItem/completed":
        if (/_call_output$/.test(String(item.type))) yield* this.#inOrder(this.#calls.answered(item));
        else if (/_call$/.test(String(item.type))) yield* this.#calls.called(item);
        return;
      case "thread/tokenUsage/updated":
        yield* this.#usage(isFields(params.tokenUsage) ? params.tokenUsage : {});
        return;
      case "item/started":
        yield* this.#started(item);
        return;
      case "item/completed":
        yield* this.#completed(item);
        return;
      case "item/agentMessage/delta":
        yield { type: "text:delta", text: String(params.delta) };
        return;
      case "account/rateLimits/updated":
        if (isFields(params.rateLimits)) yield* this.limits.heard(params.rateLimits);
        return;
      case "error":
        yield params.willRetry === true ? retry(params.error) : { type: "activity" };
        return;
      default:
        yield { type: "activity" };
    }
  }

  /** What is left of a turn that is over: commands that still run do so in the background. */
  *endsTurn(): Generator<AgentEvent> {
    yield* this.#release();
    this.#background = [...this.#calls.open.keys()];
    if (this.#background.length > 0) yield this.#inBackground();
  }

  /** Everything that ran has been ended with the turn. */
  *interrupted(): Generator<AgentEvent> {
    yield* this.#release();
    yield* this.#calls.interrupted();
    if (this.#background.length === 0) return;
    this.#background = [];
    yield this.#inBackground();
  }

  *#started(item: Fields): Generator<AgentEvent> {
    if (item.type === "contextCompaction") {
      this.#compaction = { before: this.#context?.tokens };
      yield { type: "compaction:start" };
    } else if (!(yield* this.#calls.started(item))) yield { type: "activity" };
  }

  *#completed(item: Fields): Generator<AgentEvent> {
    if (item.type === "contextCompaction") yield this.#compacted();
    else if (item.type === "agentMessage") {
      this.#text = String(item.text);
      if (this.#text) yield { type: "text", text: this.#text };
    } else {
      yield* this.#inOrder(this.#calls.completed(item));
      yield* this.#lessInBackground(String(item.id));
    }
  }

  #compacted(): AgentEvent {
    const { before, after } = this.#compaction ?? {};
    this.#compaction = undefined;
    return {
      type: "compaction:end",
      ok: true,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    };
  }

  *#lessInBackground(id: string): Generator<AgentEvent> {
    if (!this.#background.includes(id)) return;
    this.#background = this.#background.filter((each) => each !== id);
    yield this.#inBackground();
    if (this.#background.length === 0) yield { type: "idle" };
  }

  /** A call ends after the response that made it, although the program may tell it before. */
  *#inOrder(events: Iterable<AgentEvent>): Generator<AgentEvent> {
    for (const event of events) {
      if (event.type === "tool:start") yield event;
      else this.#held.push(event.type === "tool:denied" ? this.#explained(event) : event);
    }
    if (!this.#isAnswering) yield* this.#release();
  }

  #explained(denied: Extract<AgentEvent, { type: "tool:denied" }>): AgentEvent {
    const message = this.#refusals.get(denied.id);
    if (message === undefined) return denied;
    const { allow: _, ...call } = denied;
    return { ...call, message, byPerson: true };
  }

  *#release(): Generator<AgentEvent> {
    const held = this.#held;
    this.#held = [];
    yield* held;
  }

  *#response(id: string, told: unknown): Generator<AgentEvent> {
    const usage = usageIn(told);
    const costUsd = usage && listCost(this.#model, usage);
    this.#isAnswering = false;
    this.#responses++;
    yield {
      type: "response",
      id,
      model: this.#model,
      ...(usage && { usage }),
      ...(costUsd !== undefined && { costUsd }),
    };
    yield* this.#release();
  }

  /** Comes when the calls of a response have ended, and again with the same figures at other times. */
  *#usage({ last, total, modelContextWindow: window }: Fields): Generator<AgentEvent> {
    const tokens = isFields(last) ? Number(last.totalTokens) : 0;
    const all = isFields(total) ? Number(total.totalTokens) : 0;
    const isNew = all > this.#totalTokens;
    this.#totalTokens = all;
    // After a compaction, and in a window that is too full, it is what the program reckons.
    const isReckoned = isFields(last) && last.inputTokens === 0;
    if (isReckoned && this.#compaction) this.#compaction.after = tokens;
    if (typeof window === "number" && window > 0 && !isReckoned && !this.#compaction) {
      this.#context = { tokens, window };
      this.#measured.resolve();
    }
    if (this.#isResumed && this.#isAnswering && isNew) yield* this.#response(`resumed-${all}`, last);
    else yield { type: "activity" };
  }

  #inBackground(): AgentEvent {
    const tasks = this.#background.flatMap((id): BackgroundTask[] => {
      const { calls, cwd } = this.#calls.open.get(id) ?? { calls: [] };
      return calls.map(({ about }) => ({
        id,
        kind: "command",
        description: about,
        command: about,
        ...(cwd !== undefined && { cwd }),
      }));
    });
    return { type: "background", tasks };
  }
}

function retry(error: unknown): AgentEvent {
  const { message, codexErrorInfo, additionalDetails } = isFields(error) ? error : {};
  const { status } = codeOf(codexErrorInfo);
  const [, attempt = "1", of = attempt] = /(\d+)\/(\d+)/.exec(String(message)) ?? [];
  const words = typeof additionalDetails === "string" ? additionalDetails : String(message);
  return {
    type: "retry",
    attempt: Number(attempt),
    of: Number(of),
    delayMs: 0,
    ...(status !== undefined && { status }),
    message: plain(words),
  };
}
