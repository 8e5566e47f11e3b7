import { setTimeout as sleep } from "node:timers/promises";
import type { AgentSession, Message, Models } from "../../agents/agent.ts";
import type { AgentEvent, BackgroundTask, ToolKind } from "../../agents/events.ts";
import { type OwnPrices, repriced } from "../../agents/price.ts";
import { isSimulated } from "../../agents/simulated.ts";
import { triggerTokens } from "../../context/policy.ts";
import { type ContextState, initialContext, pendingTokens, track } from "../../context/tracker.ts";
import type { AccountInbox } from "../../handoff/account-inbox.ts";
import type { FactCollector } from "../../handoff/collect.ts";
import type { ContextFigures, JobEvent } from "../../job/events.ts";
import type { Mark } from "../../processes/marks.ts";
import type { Redact } from "../../secrets/redact.ts";
import { RedactedStream } from "../../secrets/redacted-stream.ts";
import { deniedEntry, endEntry, startEntry } from "../call-entries.ts";

/** How long a program that has ended may still be heard. */
const LAST_WORDS_MS = 1_000;

/** How much goes on in a session when nothing is being asked of it. */
export type Quiet = "busy" | "settling" | "commands" | "quiet";

export interface LiveOptions {
  models: Models;
  configuredWindow?: number;
  /** For what the agent says, before any of it is cut short: half a secret would no longer be known as one. */
  redact?: Redact;
  record: (event: JobEvent) => void;
  /** Of the whole job: every session adds to them. */
  facts: FactCollector;
  mark: Mark;
  inbox: AccountInbox;
  /** Files of the repository that the program was started without. */
  leftOut?: readonly string[];
  /** Where the session hands off after this response, under a threshold that moves with the job. */
  economical?: (response: Extract<AgentEvent, { type: "response" }>) => number | undefined;
  /** What the user says that models cost. */
  prices?: OwnPrices;
  /** Hears what there is so far of a text that the agent is writing. */
  overhear?: (partial: string) => void;
}

/** Listens to one session: writes its events down, follows its window, knows what runs. */
export class LiveSession {
  readonly session: AgentSession;
  /** On everything that runs for it. */
  readonly mark: Mark;
  readonly inbox: AccountInbox;
  readonly leftOut: readonly string[];
  readonly #facts: FactCollector;
  readonly #events: AsyncIterator<AgentEvent>;
  readonly #models: Models;
  readonly #redact: Redact;
  readonly #partial: RedactedStream;
  readonly #record: (event: JobEvent) => void;
  readonly #economical: LiveOptions["economical"];
  readonly #prices: OwnPrices;
  readonly #overhear: ((partial: string) => void) | undefined;
  #pull: Promise<AgentEvent> | undefined;
  #context: ContextState;
  #economicalAt: number | undefined;
  #tools = new Map<string, ToolKind>();
  readonly #denied = new Set<string>();
  #background: BackgroundTask[] = [];
  #turnRunning = false;
  #idle = false;
  #learnt = false;
  /** The numbers of messages that the program was sent, and the model has not answered since. */
  #undelivered: number[] = [];
  #closed: Promise<void> | undefined;

  constructor(session: AgentSession, options: LiveOptions) {
    this.session = session;
    this.mark = options.mark;
    this.inbox = options.inbox;
    this.leftOut = options.leftOut ?? [];
    this.#facts = options.facts;
    this.#events = session.events[Symbol.asyncIterator]();
    this.#models = options.models;
    this.#redact = options.redact ?? ((value) => value);
    this.#partial = new RedactedStream(this.#redact);
    this.#record = options.record;
    this.#economical = options.economical;
    this.#prices = options.prices ?? {};
    this.#overhear = options.overhear;
    this.#context = initialContext(
      options.configuredWindow === undefined ? {} : { configuredWindow: options.configuredWindow },
    );
  }

  get id(): string {
    return this.session.id;
  }

  /** The tokens from which a fresh session is cheaper, where somebody wants to know. */
  get economicalAt(): number | undefined {
    return this.#economicalAt;
  }

  get context(): ContextState {
    return this.#context;
  }

  get background(): BackgroundTask[] {
    return this.#background;
  }

  /** The main thread's, by their ids. */
  get runningTools(): string[] {
    return [...this.#tools.keys()];
  }

  get toolRunning(): boolean {
    return this.#tools.size > 0;
  }

  get figures(): ContextFigures {
    const { tokens, window, isEstimate } = this.#context;
    const percent = window ? Math.min(100, (tokens / window.tokens) * 100) : 0;
    const pending = pendingTokens(this.#context);
    const exact = { tokens, window: window?.tokens ?? 0, percent: Math.round(percent * 10) / 10 };
    const handoffAt = this.#economical && this.#handoffAt();
    return {
      ...exact,
      ...(isEstimate && { isEstimate }),
      ...(pending > 0 && { pending }),
      ...(handoffAt !== undefined && { handoffAt }),
    };
  }

  /**
   * `settling`: a turn is over and the program has not yet said whether another follows by itself, as it does
   * when background work ends. `commands`: only commands in the background still run.
   */
  get quiet(): Quiet {
    if (this.#turnRunning) return "busy";
    if (this.#background.length > 0) return this.#idle ? "commands" : "busy";
    return this.#idle ? "quiet" : "settling";
  }

  /** `queued`: the numbers of what people sent, where it is told with this. */
  send(message: Message, queued: readonly number[] = []): void {
    if (this.#closed) return;
    this.#undelivered.push(...queued);
    this.#turnRunning = true;
    this.#idle = false;
    this.session.send(message);
  }

  /** The next event, or undefined when none came before the deadline. Rejects when `signal` aborts. */
  async next(deadlineMs: number, signal: AbortSignal): Promise<AgentEvent | undefined> {
    signal.throwIfAborted();
    const pull = this.#pulled();
    const said = await before(pull, deadlineMs, signal);
    return said && this.#heard(pull, said);
  }

  /** Ends the program and everything it started, and hears all that it says until then. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const closed = this.session.close();
    const patience = closed.then(() => sleep(LAST_WORDS_MS, undefined, { ref: false }));
    for (;;) {
      const pull = this.#pulled();
      const said = await Promise.race([pull, patience]);
      if (said) this.#heard(pull, said);
      if (!said || said.type === "exit") break;
    }
    await closed;
  }

  #pulled(): Promise<AgentEvent> {
    this.#pull ??= this.#events.next().then(({ done, value }) => (done ? { type: "exit" } : value));
    return this.#pull;
  }

  /** Whoever waited for it first hears it, and it is heard once. */
  #heard(pull: Promise<AgentEvent>, said: AgentEvent): AgentEvent | undefined {
    if (this.#pull !== pull) return undefined;
    this.#pull = undefined;
    // A part of a text is redacted with what came before it.
    const event =
      said.type === "text:delta" ? said : this.#redact(repriced(said, this.#prices, this.#models));
    this.#hear(event);
    return event;
  }

  #hear(event: AgentEvent): void {
    this.#context = track(this.#context, event, this.#models);
    if (event.type === "response" && event.subagent === undefined)
      this.#economicalAt = this.#economical?.(event) ?? this.#economicalAt;
    const { todoChanges } = this.#facts;
    this.#facts.add(event, new Date().toISOString());
    const entry = this.#entry(event);
    this.#follow(event);
    if (event.type === "response" && event.subagent === undefined) this.#delivered();
    if (entry) this.#record(entry);
    if (this.#facts.todoChanges > todoChanges)
      this.#record({ type: "todos:changed", session: this.id, todos: this.#facts.todos });
    if (this.#overhear) this.#stream(event, this.#overhear);
    if (event.type === "response" && event.subagent === undefined && !this.#learnt) {
      this.#learnt = true;
      void this.#learnWindow();
    }
  }

  /** The model has answered: it has been told all that was sent before. */
  #delivered(): void {
    if (this.#undelivered.length === 0) return;
    this.#record({ type: "message:delivered", session: this.id, queued: this.#undelivered });
    this.#undelivered = [];
  }

  #handoffAt(): number | undefined {
    const policy = { threshold: { kind: "economical" as const }, economicalAt: this.#economicalAt };
    return triggerTokens(this.#context, policy);
  }

  #stream(event: AgentEvent, overhear: (partial: string) => void): void {
    if (event.type === "text:delta") {
      overhear(this.#partial.add(event.text));
    } else if (event.type === "text" && event.subagent === undefined) this.#partial.clear();
    else if (event.type === "turn:end") this.#partial.clear();
  }

  /** From now on the program compacts the window by itself, and what it says of that counts. False where it cannot. */
  async letCompact(): Promise<boolean> {
    if (!(await this.session.letCompact())) return false;
    await this.#learnWindow();
    return true;
  }

  /** The live program knows its window best. It is asked once, beside the work. */
  async #learnWindow(): Promise<void> {
    const usage = await this.session.contextUsage();
    if (usage) this.#context = track(this.#context, { type: "context", usage }, this.#models);
    const window = this.#context.window?.tokens;
    if (window !== undefined)
      this.#record({ type: "session:known", session: this.id, contextWindow: window });
  }

  #follow(event: AgentEvent): void {
    switch (event.type) {
      case "response":
        if (event.subagent === undefined) this.#turnRunning = true;
        return;
      case "tool:start":
        if (event.subagent === undefined) this.#tools.set(event.id, event.does.kind);
        return;
      case "tool:denied":
        this.#denied.add(event.id);
        this.#tools.delete(event.id);
        return;
      case "tool:end":
        this.#tools.delete(event.id);
        return;
      case "background":
        if (event.tasks.length < this.#background.length) this.#idle = false;
        this.#background = event.tasks;
        return;
      case "turn:end":
        this.#turnRunning = false;
        this.#tools.clear();
        return;
      case "idle":
        this.#idle = true;
        return;
      case "exit":
        this.#turnRunning = false;
        this.#idle = true;
        this.#background = [];
        return;
      default:
    }
  }

  #entry(event: AgentEvent): JobEvent | undefined {
    const session = this.id;
    switch (event.type) {
      case "init":
        return { type: "session:started", session, model: event.model, program: event.program };
      case "response": {
        const { model, usage, costUsd, subagent } = event;
        const used = { model, ...(usage && { usage }), ...(costUsd !== undefined && { costUsd }) };
        if (subagent !== undefined) return { type: "subagent:response", session, subagent, ...used };
        const simulated = isSimulated(event) ? { simulated: true as const } : {};
        return { type: "response", session, ...used, ...simulated, context: this.figures };
      }
      case "text":
        return event.subagent === undefined ? { type: "text", session, text: event.text } : undefined;
      case "tool:start":
        return startEntry(session, event);
      case "tool:end": {
        const { pending } = event.subagent === undefined ? this.figures : {};
        const isDenied = this.#denied.delete(event.id);
        return endEntry(session, event, { does: this.#tools.get(event.id), isDenied, pending });
      }
      case "tool:denied":
        return deniedEntry(session, event);
      case "background":
        return { type: "background", session, tasks: event.tasks };
      case "compaction:start":
        return { type: "compaction", session, state: "start" };
      case "compaction:end": {
        const { ok, before, after } = event;
        const figures = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
        return { type: "compaction", session, state: ok ? "done" : "failed", ...figures };
      }
      case "retry": {
        const { attempt: number, of, delayMs, message } = event;
        return { type: "retry", session, number, of, delayMs, message };
      }
      case "turn:end":
        return event.costUsd === undefined ? undefined : { type: "cost", session, costUsd: event.costUsd };
      default:
        return undefined;
    }
  }
}

/** The promise's value, or undefined at the deadline. Rejects when the signal aborts. */
async function before<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<undefined>((resolve, reject) => {
        if (Number.isFinite(ms)) timer = setTimeout(() => resolve(undefined), Math.min(ms, 2 ** 31 - 1));
        abort = () => reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (abort) signal.removeEventListener("abort", abort);
  }
}
