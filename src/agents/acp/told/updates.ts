import { isFields } from "../../../util/json.ts";
import { textField } from "../../call-input.ts";
import type { AgentEvent } from "../../events.ts";
import type { Quirks } from "../quirks.ts";
import type { Fields } from "../rpc.ts";
import type { ProgramRecord } from "./program-record.ts";
import {
  type Call,
  callAfter,
  denialOf,
  endOf,
  fieldsIn,
  isDeniedByRule,
  isKnown,
  isOver,
  numberIn,
  parentOf,
  startOf,
} from "./tools.ts";
import type { Window } from "./window.ts";

interface UpdatesOptions {
  quirks: Quirks;
  /** As far as it is known when the session begins. */
  model: string;
  ownTools: readonly string[];
  window: Window;
  /** What the program writes down beside what it tells. */
  record?: ProgramRecord;
  newId: () => string;
}

/** What was seen in a turn and helps to tell its end apart: an end without an error says little. */
export interface TurnSigns {
  /** What the agent said last. */
  text: string;
  /** The same, where no tool has ended since: where a turn fails, it may say why. */
  words: string;
  /** The program says beside its stream that something went wrong. */
  hasFailed: boolean;
}

/**
 * Turns what a program tells of a session into the contract's events. The protocol has no responses: one is what the model
 * says and calls until a tool has ended, and how full the window is then.
 */
export class Updates {
  readonly #options: UpdatesOptions;
  readonly #calls = new Map<string, Call>();
  readonly #started = new Set<string>();
  readonly #compactions = new Set<string>();
  #model: string;
  #text = "";
  #message: string | undefined;
  #signs: TurnSigns = { text: "", words: "", hasFailed: false };
  /** What the model has said and no response stands for yet. */
  #response: { id: string; figures: number } | undefined;
  /** The model's next words are a new response. */
  #answered = true;
  #hasResults = false;
  #isCut = false;
  #hasAnswered = false;
  /** The turn is to end: what begins now does not. */
  #isEnding = false;
  #plans = 0;
  #costUsd: number | undefined;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  get model(): string {
    return this.#model;
  }

  get signs(): TurnSigns {
    return this.#signs;
  }

  /** Calls of the main thread that have begun and not ended. */
  get running(): number {
    return this.#started.size;
  }

  /** Tools have ended, and the model has said nothing since: nothing is lost where the turn ends here. */
  get isAtBoundary(): boolean {
    if (!this.#hasResults || this.#started.size > 0) return false;
    // More calls of the same response may follow, unless its figure has come.
    return this.#options.quirks.usage !== "each response" || this.#response === undefined;
  }

  /** The model has, in this turn. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** In all, as the program counts it. */
  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  /** What the calls of the turn have given, by their ids, where the program writes it down. */
  get outputs(): ReadonlyMap<string, string> | undefined {
    return this.#options.record?.outputs();
  }

  turnBegins(text: string): void {
    this.#signs = { text: "", words: "", hasFailed: false };
    this.#answered = true;
    this.#hasResults = false;
    this.#isCut = false;
    this.#isEnding = false;
    this.#hasAnswered = false;
    this.#options.record?.turnBegins();
    this.#options.window.said(text);
  }

  *events(update: Fields): Generator<AgentEvent> {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        yield* this.#chunk(update);
        return;
      case "agent_thought_chunk":
        yield* this.#speaks();
        yield { type: "activity" };
        return;
      case "tool_call":
      case "tool_call_update":
        yield* this.#call(update);
        return;
      case "plan":
        yield* this.#plan(update);
        return;
      case "usage_update":
        yield* this.#usage(update);
        return;
      case "compaction_update":
        yield* this.#compaction(update);
        return;
      case "session_info_update": {
        const { codex } = fieldsIn(update._meta);
        if (textField(fieldsIn(codex).threadStatus, "type") === "systemError") this.#signs.hasFailed = true;
        yield { type: "activity" };
        return;
      }
      default:
        yield { type: "activity" };
    }
  }

  /** The program asks about a call: from here on it is known what it would do. */
  *asked(update: Fields): Generator<AgentEvent> {
    yield* this.#call({ ...update, status: "pending" }, true);
  }

  call(id: string): Call | undefined {
    return this.#calls.get(id);
  }

  /** `interrupted`: it was ended in the middle of whatever ran. `result`: what the program says of the turn. */
  *turnEnds(interrupted: boolean, result: Fields = {}): Generator<AgentEvent> {
    if (this.#options.quirks.usage === "each turn")
      this.#options.window.told(numberIn(result.usage, "totalTokens"), undefined);
    if (this.#signs.hasFailed) this.fails();
    yield* this.#flushText();
    yield* this.#respond();
    for (const id of [...this.#started]) {
      const call = this.#calls.get(id);
      if (call) yield* this.#ends({ ...call, status: "failed" }, interrupted);
    }
    this.#calls.clear();
    this.#started.clear();
  }

  /** The turn has failed: what was said last was not said to its end, or is the program's own words for the failure. */
  fails(): void {
    if (!this.#options.record) this.#response = undefined;
  }

  *#chunk(update: Fields): Generator<AgentEvent> {
    const text = textField(update.content, "text") ?? "";
    const message = textField(update, "messageId");
    if (parentOf(update) !== undefined || text === "") return yield { type: "activity" };
    if (message !== this.#message) yield* this.#flushText();
    this.#message = message;
    // The program's own words for a failure are no answer of the model's.
    if (!this.#signs.hasFailed) yield* this.#speaks(message);
    this.#text += text;
    this.#options.window.said(text);
    yield { type: "text:delta", text };
  }

  *#flushText(): Generator<AgentEvent> {
    const text = this.#text;
    this.#text = "";
    if (text === "") return;
    this.#signs.text = text;
    this.#signs.words = text;
    yield { type: "text", text };
  }

  *#call(update: Fields, isAsked = false): Generator<AgentEvent> {
    const id = textField(update, "toolCallId");
    if (id === undefined) return yield { type: "activity" };
    const known = this.#calls.get(id);
    const call = callAfter(known, update);
    this.#calls.set(id, call);
    if (!known && parentOf(update) === undefined) {
      yield* this.#flushText();
      yield* this.#speaks();
    }
    const subagent = parentOf(update);
    const isNew = !this.#started.has(id) && !isEnded(known);
    if (isNew && (isAsked || isKnown(call)) && this.#begins(call)) yield* this.#starts(call, subagent);
    if (isOver(call) && !isEnded(known) && (subagent !== undefined || this.#started.has(id)))
      yield* this.#ends(call, false, subagent);
    else yield { type: "activity" };
  }

  *#starts(call: Call, subagent: string | undefined): Generator<AgentEvent> {
    const start = startOf(call, this.#options.ownTools);
    if (subagent !== undefined) return yield { ...start, subagent };
    this.#started.add(call.id);
    this.#options.window.said(JSON.stringify(start.input));
    yield start;
    // Where nobody will tell how full the window is, its reader must know while the tool still runs.
    if (this.#isReckoned) yield* this.#respond();
  }

  *#ends(call: Call, interrupted: boolean, subagent?: string): Generator<AgentEvent> {
    const end = endOf(call, interrupted || this.#isCut);
    if (!end.ok && isDeniedByRule(end.output)) yield denialOf(call, end.output);
    if (subagent !== undefined) return yield { ...end, subagent };
    if (this.#response && this.#options.quirks.usage === "begin and end") yield* this.#respond();
    this.#started.delete(call.id);
    this.#answered = true;
    this.#hasResults = true;
    this.#signs.words = "";
    this.#options.window.said(end.output);
    yield end;
  }

  /** Once the turn is to end, a program that asks first begins nothing: what runs all the same has run when it was done. */
  #begins({ status }: Call): boolean {
    return !this.#isEnding || status === "completed";
  }

  /** The turn is to end here, of a program that asks about a call before it begins. */
  endsHere(): void {
    this.#isEnding = this.#options.quirks.asksFirst === true;
  }

  /** Whatever ends from now on in this turn was ended with it. */
  cut(): void {
    this.#isCut = true;
  }

  /** Between two turns at most, the program says how full the window is. */
  get #isReckoned(): boolean {
    const { usage } = this.#options.quirks;
    return usage === "none" || usage === "each turn";
  }

  /** The model says something. */
  *#speaks(id?: string): Generator<AgentEvent> {
    this.#hasAnswered = true;
    if (!this.#answered) return;
    yield* this.#respond();
    this.#answered = false;
    this.#hasResults = false;
    this.#response = { id: id ?? this.#options.newId(), figures: 0 };
  }

  /** Counts what the model has said since the last response as one. */
  *#respond(): Generator<AgentEvent> {
    const response = this.#response;
    this.#response = undefined;
    if (!response) return;
    const { window, record } = this.#options;
    const recorded = record?.responses();
    if (!recorded)
      return yield { type: "response", id: response.id, model: this.#model, window: window.fill };
    for (const { id, usage } of recorded) {
      window.told(usage.input + usage.cacheRead + usage.cacheWrite + usage.output, undefined);
      yield { type: "response", id, model: this.#model, usage };
    }
  }

  *#usage(update: Fields): Generator<AgentEvent> {
    const { window, quirks } = this.#options;
    const cost = fieldsIn(update.cost);
    const amount = numberIn(cost, "amount");
    // Without a price for the model, some say that it cost nothing.
    if (amount && textField(cost, "currency") === "USD") this.#costUsd = amount;
    const used = numberIn(update, "used");
    const isNews = window.told(used, numberIn(update, "size"));
    // One is repeated before the program says that a request has failed.
    const isRepeated = quirks.usage === "each response" && !isNews;
    this.#model = textField(update._meta, "_claude/model") ?? this.#model;
    if (!used || amount !== undefined || isRepeated) return yield { type: "activity" };
    if (quirks.usage === "begin and end" && this.#answered) yield* this.#speaks();
    if (this.#response) this.#response.figures++;
    const isWhole = (this.#response?.figures ?? 0) >= (quirks.usage === "begin and end" ? 2 : 1);
    if (!this.#isReckoned && isWhole) yield* this.#respond();
    else yield { type: "activity" };
  }

  *#plan(update: Fields): Generator<AgentEvent> {
    const entries = Array.isArray(update.entries) ? update.entries.filter(isFields) : [];
    const todos = entries.map((entry) => ({
      text: textField(entry, "content") ?? "",
      status: textField(entry, "status") ?? "pending",
    }));
    yield* this.#flushText();
    yield* this.#speaks();
    const id = `plan-${++this.#plans}-${this.#options.newId()}`;
    const does = { kind: "todo", change: "list", todos } as const;
    yield { type: "tool:start", id, name: "plan", does, about: "", input: {} };
    yield { type: "tool:end", id, ok: true, output: "" };
  }

  *#compaction(update: Fields): Generator<AgentEvent> {
    const id = textField(update, "compactionId") ?? "";
    const status = textField(update, "status");
    if (status === "in_progress") return yield { type: "compaction:start" };
    if (this.#compactions.has(id)) return yield { type: "activity" };
    this.#compactions.add(id);
    const ok = status === "completed";
    if (ok) this.#options.window.compacted();
    yield { type: "compaction:end", ok };
  }
}

const isEnded = (call: Call | undefined): boolean => call !== undefined && isOver(call);
