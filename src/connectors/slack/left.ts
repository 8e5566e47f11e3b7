import { z } from "zod";
import type { Place } from "../connector.ts";
import { openFence } from "./live-stream.ts";
import { contentOf, metadataOf } from "./message.ts";
import { MESSAGE_LIMIT } from "./text.ts";
import { type ThreadMessage, textOf } from "./thread.ts";
import { type SlackApi, SlackRefusal } from "./web-api.ts";

const MOST_STREAMS = 2_000;

const Done = z.object({ ok: z.literal(true) });

/** The streams that this process has begun: no other ones are left behind by another. */
export class OwnStreams {
  readonly #known = new Set<string>();
  readonly #starting = new Map<string, Promise<void>>();

  /** From when Slack is asked for one: it may be there before Slack's answer is here. */
  starts({ key }: Place, started: Promise<string>): void {
    const noted = started.then(
      (ts) => this.#note(ts),
      () => {},
    );
    this.#starting.set(key, noted);
    void noted.then(() => this.#starting.get(key) === noted && this.#starting.delete(key));
  }

  /** Resolves when it is known of each that may be there. */
  async settled({ key }: Place): Promise<void> {
    await this.#starting.get(key);
  }

  has(ts: string): boolean {
    return this.#known.has(ts);
  }

  #note(ts: string): void {
    this.#known.add(ts);
    const [oldest] = this.#known;
    if (this.#known.size > MOST_STREAMS && oldest !== undefined) this.#known.delete(oldest);
  }
}

interface Left {
  channel: string;
  nonce: string;
  addition: string | undefined;
}

/** Ends a stream that nobody writes to any more, so that it is a message like others, and adds to it. */
export async function endLeft(
  api: SlackApi,
  message: ThreadMessage,
  { channel, nonce, addition }: Left,
  signal: AbortSignal,
): Promise<void> {
  const text = textOf(message);
  const closing = openFence(text) === "" ? "" : "\n```";
  const more = addition === undefined ? closing : `${closing}\n\n${addition}`;
  const metadata = metadataOf(nonce);
  const at = { channel, ts: message.ts };
  try {
    const given = { ...at, metadata, ...(more !== "" && { markdown_text: more }) };
    await api.call("chat.stopStream", given, Done, { signal, again: false });
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    // Slack has ended it, or it never was a stream.
    if (addition === undefined) return;
    const whole = `${text.slice(0, MESSAGE_LIMIT - more.length)}${more}`;
    await api.call("chat.update", { ...at, ...contentOf({ text: whole }), metadata }, Done, { signal });
  }
}
