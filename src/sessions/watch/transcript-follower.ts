import { stat } from "node:fs/promises";
import { type ReadingPlace, TranscriptReader } from "../../agents/claude/own/transcript.ts";
import { models, USUAL_WINDOW } from "../../agents/claude/own/window.ts";
import type { AgentEvent } from "../../agents/events.ts";
import { type ContextState, initialContext, track } from "../../context/tracker.ts";
import { isRequest } from "../../handoff/request.ts";
import { type About, NOTHING_TOLD, told } from "../record/about.ts";
import type { ContextFigure, OwnSession, Reading } from "../record/session.ts";
import { estimatedTokens, NOTHING_WEIGHED, type Weighed, weigh } from "./estimate.ts";
import { figureFrom } from "./figure.ts";

const LONGEST_ANSWER = 64 * 1024;

/** Follows one session by its transcript, and knows what of it was new at each look. */
export class TranscriptFollower {
  readonly transcript: string;
  readonly #reader: TranscriptReader;
  readonly #check: string | undefined;
  #context: ContextState;
  #about: About;
  #weighed: Weighed = NOTHING_WEIGHED;
  #size = -1;
  #changedAt = 0;
  /** When something was last written at which a hook would have run. */
  #hookDueAt = 0;
  /** What came last: words of the agent's, a tool that it started, or what it must answer. */
  #last: "said" | "tool" | "owed" | undefined;
  #answer = "";
  #answersRequest = false;
  #bytesRead = 0;

  /** `check`: what `baton watch` sends it. */
  constructor(transcript: string, reading: Reading | null, check?: string) {
    this.transcript = transcript;
    this.#check = check;
    // Where no answer told the figure, all of it must be weighed.
    const isUseful =
      reading?.path === transcript && reading.context.tokens > 0 && reading.about !== undefined;
    const from = isUseful ? reading : undefined;
    this.#reader = new TranscriptReader(transcript, from);
    this.#context = from?.context ?? initialContext({});
    this.#about = from?.about ?? NOTHING_TOLD;
  }

  /** Reads what is new; true if anything was. Costs one look at the file where nothing is. */
  async look(): Promise<boolean> {
    const found = await stat(this.transcript).catch(() => undefined);
    if (!found || (found.size === this.#size && found.mtimeMs === this.#changedAt)) return false;
    const before = this.#reader.place?.offset ?? 0;
    this.#size = found.size;
    this.#changedAt = found.mtimeMs;
    for await (const event of this.#reader.read()) this.#heard(event);
    const after = this.#reader.place?.offset ?? 0;
    this.#bytesRead += after >= before ? after - before : after;
    return after !== before;
  }

  #heard(event: AgentEvent): void {
    this.#context = track(this.#context, event, models);
    this.#about = told(this.#about, event, this.#check);
    if ("subagent" in event && event.subagent !== undefined) return;
    this.#weighed = weigh(this.#weighed, event);
    switch (event.type) {
      case "user":
        this.#last = "owed";
        // The answer that it works on goes on.
        if (event.midTurn) break;
        this.#answer = "";
        this.#answersRequest = isRequest(event.text);
        this.#hookDueAt = this.#changedAt;
        break;
      case "tool:end":
        this.#last = "owed";
        // At a tool that failed another hook runs, which older plugins do not have.
        if (event.ok) this.#hookDueAt = this.#changedAt;
        break;
      case "text":
        this.#answer = `${this.#answer}\n${event.text}`.slice(-LONGEST_ANSWER);
        this.#last = "said";
        break;
      case "tool:start":
        this.#last = "tool";
        break;
    }
  }

  get context(): ContextState {
    return this.#context;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** Milliseconds since 1970; 0 before the first look. */
  get changedAt(): number {
    return this.#changedAt;
  }

  get hookDueAt(): number {
    return this.#hookDueAt;
  }

  /** True where it is the model's turn. */
  get owesAnswer(): boolean {
    return this.#last === "owed";
  }

  /** True where nothing came after the agent's words. */
  get saidLast(): boolean {
    return this.#last === "said";
  }

  /** What the agent has said since a person last did, or since it was forgotten. */
  get answer(): string {
    return this.#answer;
  }

  /** True where that came after a request for a handoff that was typed. */
  get answersRequest(): boolean {
    return this.#answersRequest;
  }

  forgetAnswer(): void {
    this.#answer = "";
    this.#answersRequest = false;
  }

  get reading(): Reading | null {
    const place: ReadingPlace | undefined = this.#reader.place;
    return place ? { path: this.transcript, ...place, context: this.#context, about: this.#about } : null;
  }

  /** How full the window is by what the model answered; null where no answer says it. */
  get figure(): ContextFigure | null {
    return figureFrom(this.#context);
  }

  /** By the length of what was said and done, where nothing better is known. */
  get estimate(): ContextFigure | null {
    const tokens = estimatedTokens(this.#weighed);
    if (tokens === undefined) return null;
    const window = this.#context.window?.tokens ?? USUAL_WINDOW;
    return figureOfTokens(tokens, window, "estimate", this.#context);
  }
}

export function figureOfTokens(
  tokens: number,
  window: number,
  source: ContextFigure["source"],
  { turns, model }: Pick<ContextState, "turns" | "model">,
): ContextFigure {
  const percent = Math.min(100, (tokens / window) * 100);
  return { tokens, window, percent, turns, ...(model !== undefined && { model }), source };
}

/** Whether hooks that should have run long ago did not: the transcript grew and nobody was told. */
export function hooksAreMissing(
  { seenAt }: Pick<OwnSession, "seenAt">,
  { hookDueAt }: Pick<TranscriptFollower, "hookDueAt">,
  now: number,
): boolean {
  return hookDueAt > 0 && now - hookDueAt > HOOK_MS && Date.parse(seenAt) < hookDueAt - HOOK_MS;
}

/** A hook has run by then: it may take two seconds, and clocks of files and processes are not quite the same. */
const HOOK_MS = 15_000;
