import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { Place } from "../connector.ts";
import { within } from "../split.ts";
import { metadataOf } from "./message.ts";
import { withoutMentions } from "./text.ts";
import { BrokenAnswer, type SlackApi, SlackRefusal } from "./web-api.ts";

/** Slack ends a stream five minutes after it began, whatever happens in it. */
const ROLL_OVER_MS = 4 * 60_000;
/** Of one streamed message. */
const MOST_SHOWN = 11_000;
/** Of one call: each character may become four. */
const MOST_AT_ONCE = 2_800;

const Started = z.object({ ts: z.string() });
const Done = z.object({ ok: z.literal(true) });

/** What became of a write. `edit`: of here on it takes edits of this message, which holds the text from there on. */
export type Streamed =
  | { kind: "shown"; all: boolean }
  | { kind: "stopped" }
  | { kind: "edit"; message: { ts: string } | undefined; from: number };

interface StreamOptions {
  api: SlackApi;
  clock: Clock;
  place: Place;
  nonce: string;
  /** Slack wants to know for whom it is. */
  recipient: { team: string; user: string } | undefined;
  /** Its first message, or another one, is there. */
  begun: (started: Promise<string>) => Promise<void>;
}

/** One message that is being streamed. */
interface Segment {
  ts: string;
  began: number;
  /** Where in the whole text it begins. */
  from: number;
  /** What it holds, as Slack was sent it. */
  shown: string;
}

/** A growing text, in Slack's own stream: as many messages as it takes, one after the other. */
export class LiveStream {
  readonly #options: StreamOptions;
  #segment: Segment | undefined;
  #last: string | undefined;
  /** All that has been sent of the whole text. */
  #sent = "";
  /** The fence that the last message ended within: the next one opens it again. */
  #fence = "";

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** How long the message of now may still be streamed to. Undefined where there is none. */
  get leftMs(): number | undefined {
    if (!this.#segment) return undefined;
    return Math.max(0, this.#segment.began + ROLL_OVER_MS - this.#options.clock.now());
  }

  /** The message that was streamed to last. */
  get last(): string | undefined {
    return this.#last;
  }

  async write(text: string, signal: AbortSignal): Promise<Streamed> {
    // A stream only grows.
    if (!text.startsWith(this.#sent)) return this.#toEdits(signal);
    const segment = this.#segment;
    if (segment && (this.leftMs === 0 || segment.shown.length >= MOST_SHOWN)) {
      const ended = await this.end(signal);
      if (ended.kind !== "shown") return ended;
    }
    const begin = this.#sent.length;
    const more = text.slice(begin, within(text, Math.min(text.length, begin + MOST_AT_ONCE)));
    if (more === "") return { kind: "shown", all: true };
    const streamed = await (this.#segment
      ? this.#append(this.#segment, more, signal)
      : this.#start(more, signal));
    if (streamed.kind !== "shown") return streamed;
    return { kind: "shown", all: this.#sent.length === text.length };
  }

  /** Ends the message of now. What is written after it begins another. */
  async end(signal: AbortSignal): Promise<Streamed> {
    const segment = this.#segment;
    if (!segment) return { kind: "shown", all: true };
    const fence = openFence(segment.shown);
    const closing = fence === "" ? {} : { markdown_text: "\n```" };
    const given = { ...this.#at(segment), ...closing, metadata: metadataOf(this.#options.nonce) };
    this.#segment = undefined;
    this.#fence = fence;
    try {
      await this.#options.api.call("chat.stopStream", given, Done, { signal, again: false });
    } catch (error) {
      if (codeOf(error) === "stopped_by_user") return { kind: "stopped" };
      await this.#settle(segment, error, signal);
    }
    return { kind: "shown", all: true };
  }

  async #start(more: string, signal: AbortSignal): Promise<Streamed> {
    const { api, clock, place, recipient, begun } = this.#options;
    // Slack allows twenty a minute: where many threads are answered at once, messages and their edits are there sooner.
    if (this.#last === undefined && !api.isFree("chat.startStream"))
      return { kind: "edit", message: undefined, from: this.#sent.length };
    const shown = withoutMentions(this.#fence === "" ? more : `${this.#fence}\n${more}`);
    const to = { recipient_team_id: recipient?.team, recipient_user_id: recipient?.user };
    const given = { channel: place.channel, thread_ts: place.thread, ...to, markdown_text: shown };
    try {
      const began = clock.now();
      const started = api
        .call("chat.startStream", given, Started, { signal, again: false })
        .then(({ ts }) => ts);
      const noted = begun(started);
      const ts = await started;
      this.#segment = { ts, began, from: this.#sent.length, shown };
      this.#last = ts;
      this.#sent += more;
      await noted;
      return { kind: "shown", all: true };
    } catch (error) {
      if (codeOf(error) === "stopped_by_user") return { kind: "stopped" };
      // Not here, not for this app, or nobody knows: edits work everywhere.
      if (codeOf(error) === undefined) throw error;
      return { kind: "edit", message: undefined, from: this.#sent.length };
    }
  }

  async #append(segment: Segment, more: string, signal: AbortSignal): Promise<Streamed> {
    const { api } = this.#options;
    const shown = withoutMentions(more);
    try {
      const given = { ...this.#at(segment), markdown_text: shown };
      await api.call("chat.appendStream", given, Done, { signal, again: false });
      segment.shown += shown;
      this.#sent += more;
      return { kind: "shown", all: true };
    } catch (error) {
      switch (codeOf(error)) {
        case undefined:
          throw error;
        case "stopped_by_user":
          this.#segment = undefined;
          return { kind: "stopped" };
        case "message_not_in_streaming_state":
          // Ended by Slack. What it holds is safe, and what came now begins another.
          this.#segment = undefined;
          this.#fence = openFence(segment.shown);
          await this.#settle(segment, error, signal);
          return this.#start(more, signal);
        default:
          return this.#toEdits(signal);
      }
    }
  }

  /** The text is another than was streamed, or nobody knows what was: an edit says all of the last message anew. */
  async #toEdits(signal: AbortSignal): Promise<Streamed> {
    const segment = this.#segment;
    this.#segment = undefined;
    if (!segment) return { kind: "edit", message: undefined, from: this.#sent.length };
    const { api } = this.#options;
    await api
      .call("chat.stopStream", this.#at(segment), Done, { signal, again: false })
      .catch((error: unknown) => {
        if (codeOf(error) === undefined) throw error;
      });
    return { kind: "edit", message: { ts: segment.ts }, from: segment.from };
  }

  /** A message that Slack ended by itself looks broken until it is written again. */
  async #settle(segment: Segment, error: unknown, signal: AbortSignal): Promise<void> {
    if (codeOf(error) === undefined) throw error;
    const text = openFence(segment.shown) === "" ? segment.shown : `${segment.shown}\n\`\`\``;
    const given = { ...this.#at(segment), markdown_text: text };
    await this.#options.api.call("chat.update", given, Done, { signal }).catch((refusal: unknown) => {
      if (codeOf(refusal) === undefined) throw refusal;
    });
  }

  #at({ ts }: Segment) {
    return { channel: this.#options.place.channel, ts };
  }
}

/** Of a refusal or of a broken answer: what else went wrong is not about streams. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof SlackRefusal) return error.code;
  return error instanceof BrokenAnswer ? "broken" : undefined;
}

/** The line that opens the block of code in which a text ends; empty where it ends in none. */
export function openFence(text: string): string {
  let open = "";
  for (const [line, mark = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,}).*$/gm)) {
    if (open === "") open = line.trim();
    else if (line.trim() === mark && open.startsWith(mark.slice(0, 3)) && mark.length >= marksOf(open))
      open = "";
  }
  return open;
}

function marksOf(fence: string): number {
  return /^(`+|~+)/.exec(fence)?.[0].length ?? 0;
}
