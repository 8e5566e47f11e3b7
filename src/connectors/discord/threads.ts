import { z } from "zod";
import { oneLine, printable } from "../../util/printable.ts";
import type { Place } from "../connector.ts";
import { HAS_THREAD, UNKNOWN_CHANNEL } from "./refusals.ts";
import { DiscordRefusal, type Rest } from "./rest.ts";

/** Discord takes a hundred characters. */
const SHOWN_NAME = 80;
/** Threads that nobody has written in yet. */
const MOST_BEGUN = 2_000;
/** In minutes: Discord hides a thread that nobody writes in. The next message shows it again. */
const HIDDEN_AFTER = 1_440;

const Anything = z.unknown();
const Beginning = z.object({ content: z.string() });

/** Threads that begin at a message, each when something is first said in it. It has the id of its message. */
export class Threads {
  readonly #rest: Rest;
  /** What the messages say that threads are to begin at. */
  readonly #begun = new Map<string, string>();

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  begins({ thread }: Place, words: string): void {
    if (thread === undefined) return;
    this.#begun.set(thread, words);
    const [oldest] = this.#begun.keys();
    if (this.#begun.size > MOST_BEGUN && oldest !== undefined) this.#begun.delete(oldest);
  }

  /** Does something in a thread, which is made first where it is not there. */
  async within<T>(place: Place, signal: AbortSignal, act: (channel: string) => Promise<T>): Promise<T> {
    const { thread, channel } = place;
    if (thread === undefined) return act(channel);
    const words = this.#begun.get(thread);
    if (words !== undefined) await this.#make(channel, thread, words, signal);
    try {
      return await act(thread);
    } catch (error) {
      // An earlier process heard the message, and ended before it made the thread.
      if (!isUnknown(error) || channel === thread) throw error;
      const path = `/channels/${channel}/messages/${thread}`;
      const { content } = await this.#rest.call("GET", path, Beginning, { signal });
      await this.#make(channel, thread, content, signal);
      return act(thread);
    }
  }

  async #make(channel: string, message: string, words: string, signal: AbortSignal): Promise<void> {
    const body = () => ({ name: nameFor(words), auto_archive_duration: HIDDEN_AFTER });
    try {
      await this.#rest.call("POST", `/channels/${channel}/messages/${message}/threads`, Anything, {
        signal,
        body,
      });
    } catch (error) {
      // Somebody else was faster, or an earlier try had arrived.
      if (!(error instanceof DiscordRefusal && error.code === HAS_THREAD)) throw error;
    }
    this.#begun.delete(message);
  }
}

export function isUnknown(error: unknown): boolean {
  return error instanceof DiscordRefusal && error.code === UNKNOWN_CHANNEL;
}

function nameFor(words: string): string {
  const line = oneLine(words.replace(/<[@#][!&]?\d+>/g, "")).trim();
  // Half of a sign would be no text at all, and Discord would take none of it.
  const short = line.length > SHOWN_NAME ? `${printable(line.slice(0, SHOWN_NAME - 1))}…` : line;
  return short || "Conversation";
}
