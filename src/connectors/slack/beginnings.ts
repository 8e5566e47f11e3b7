import type { Heard, Place } from "../connector.ts";

const MOST_THREADS = 2_000;
/** Slack tells the time in whole seconds. */
const UNSURE_S = 1;

/**
 * Threads whose first message this process heard: no earlier one has said anything there, so Slack, which lets threads be read
 * fifty times a minute, is not asked what stands in them.
 */
export class Beginnings {
  /** By Slack's own clock. */
  #since = Number.POSITIVE_INFINITY;
  readonly #unread = { history: new Set<string>(), posts: new Set<string>() };

  listensSince(seconds: number): void {
    this.#since = seconds + UNSURE_S;
  }

  note({ kind, id, place: { key, thread } }: Heard): void {
    if (kind !== "message" || thread === undefined) return;
    if (!id.endsWith(`:${thread}`) || Number(thread) <= this.#since) return;
    for (const keys of Object.values(this.#unread)) {
      keys.add(key);
      const [oldest] = keys;
      if (keys.size > MOST_THREADS && oldest !== undefined) keys.delete(oldest);
    }
  }

  /** Whether it is known that nothing stands there, the first time that it is asked for this. */
  isKnown({ key }: Place, why: "history" | "posts"): boolean {
    return this.#unread[why].delete(key);
  }
}
