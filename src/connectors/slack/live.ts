import type { Clock } from "../clock.ts";
import type { LiveText, MessageRef, Place } from "../connector.ts";
import { troubleIn } from "../error.ts";
import { split } from "../split.ts";
import type { LiveStream } from "./live-stream.ts";
import { refOf } from "./message.ts";
import { MESSAGE_LIMIT } from "./text.ts";

/** Between two pieces of a stream: Slack allows a hundred a minute, over all of them. */
const STREAM_EVERY_MS = 1_000;
export const EDIT_EVERY_MS = 1_500;
const LAST_WORD_MS = 2_000;

export interface LiveOptions {
  stream: LiveStream | undefined;
  clock: Clock;
  place: Place;
  nonce: string;
  post: (nonce: string, text: string, signal: AbortSignal) => Promise<string>;
  edit: (message: string, text: string, signal: AbortSignal) => Promise<void>;
  /** While it is open, Slack shows that the agent works, and a button that stops it. Nothing waits for that; it never rejects. */
  isWorking: (working: boolean) => Promise<void>;
  tell: (news: string) => void;
}

/** A text as it comes: in a stream while Slack takes one, and after that in a message that is edited. */
export class SlackLiveText implements LiveText {
  readonly #options: LiveOptions;
  readonly #signal: AbortSignal;
  #wanted = "";
  #shown = "";
  readonly #closing = new AbortController();
  #wake = Promise.withResolvers<void>();
  readonly #done: Promise<MessageRef | undefined>;
  #stream: LiveStream | undefined;
  /** What is edited, and where in the text it begins. */
  #messages: { ref: MessageRef; text: string | undefined }[] = [];
  #from = 0;

  constructor(options: LiveOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#stream = options.stream;
    this.#done = this.#run();
  }

  show(text: string): void {
    this.#wanted = text;
    this.#wake.resolve();
  }

  close(): Promise<MessageRef | undefined> {
    this.#closing.abort();
    this.#wake.resolve();
    return this.#done;
  }

  async #run(): Promise<MessageRef | undefined> {
    const { isWorking, tell } = this.#options;
    const working = isWorking(true);
    try {
      while (!this.#signal.aborted) {
        await this.#more();
        if (this.#wanted === this.#shown) break;
        const text = this.#wanted;
        const written = await this.#write(text);
        if (written === "over") break;
        if (written === "all") this.#shown = text;
        await this.#rest();
      }
      await this.#stream?.end(this.#signal);
      return this.#last();
    } catch (error) {
      if (!this.#signal.aborted) tell(`A text could not be shown as it came: ${troubleIn(error)}`);
      // Or it would look as if it were still being written, until Slack ends it.
      await this.#stream?.end(AbortSignal.timeout(LAST_WORD_MS)).catch(() => {});
      return undefined;
    } finally {
      void working.then(() => isWorking(false));
    }
  }

  /** Where its end is. */
  #last(): MessageRef | undefined {
    const { place, nonce } = this.#options;
    const streamed = this.#stream?.last;
    return streamed === undefined ? this.#messages.at(-1)?.ref : refOf(place.channel, streamed, nonce);
  }

  /** Until there is something to show, or it ends. A message that is old enough is ended meanwhile. */
  async #more(): Promise<void> {
    while (this.#wanted === this.#shown && !this.#closing.signal.aborted) {
      this.#wake = Promise.withResolvers();
      const left = this.#stream?.leftMs;
      await this.#until(left, this.#wake.promise);
      if (this.#stream?.leftMs === 0) await this.#stream.end(this.#signal);
    }
  }

  /** Between two writes. The last one waits for nothing. */
  async #rest(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const closing = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await this.#until(this.#stream ? STREAM_EVERY_MS : EDIT_EVERY_MS, closing);
  }

  /** So long, or until something else happens; rejects where all of it is ended. */
  async #until(ms: number | undefined, other: Promise<void>): Promise<void> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([this.#signal, waiting.signal]);
    const ended = new Promise<void>((resolve) =>
      this.#signal.addEventListener("abort", () => resolve(), { signal }),
    );
    try {
      const due = ms === undefined ? [] : [this.#options.clock.sleep(ms, signal).catch(() => {})];
      await Promise.race([...due, other, ended]);
    } finally {
      waiting.abort();
    }
    this.#signal.throwIfAborted();
  }

  async #write(text: string): Promise<"all" | "some" | "over"> {
    if (this.#stream) {
      const streamed = await this.#stream.write(text, this.#signal);
      if (streamed.kind === "stopped") return "over";
      if (streamed.kind === "shown") return streamed.all ? "all" : "some";
      this.#stream = undefined;
      this.#from = streamed.from;
      const { channel } = this.#options.place;
      const { message } = streamed;
      if (message) {
        this.#messages = [{ ref: refOf(channel, message.ts, this.#options.nonce), text: undefined }];
      }
    }
    return this.#edit(text);
  }

  /** As many messages as it takes. Each is written again only where it has become another. */
  async #edit(text: string): Promise<"all"> {
    const { post, edit, nonce } = this.#options;
    const pieces = split(text.slice(this.#from), MESSAGE_LIMIT);
    for (const [index, piece] of pieces.entries()) {
      const known = this.#messages[index];
      if (known?.text === piece) continue;
      const name = index === 0 ? nonce : `${nonce}.${index}`;
      const ref = known?.ref ?? (await post(name, piece, this.#signal));
      if (known) await edit(ref, piece, this.#signal);
      this.#messages[index] = { ref, text: piece };
    }
    return "all";
  }
}
