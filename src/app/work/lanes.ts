import { LONGEST_REST_MS } from "./feed.ts";

interface Rest {
  until: number;
  failures: number;
}

/**
 * What is done for each tracker, one thing after the other. One that does not answer is left alone for longer and longer, and
 * holds up no other.
 */
export class Lanes {
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #rests = new Map<string, Rest>();

  /** Waits for nothing. Nothing is begun where something is under way, or failed not long ago. */
  begin(name: string, firstRestMs: number, work: () => Promise<void>): void {
    const rest = this.#rests.get(name);
    if (this.#underWay.has(name) || (rest && performance.now() < rest.until)) return;
    const done = work()
      .then(
        () => void this.#rests.delete(name),
        () => this.#rest(name, firstRestMs, rest?.failures ?? 0),
      )
      .finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, done);
  }

  /** It answers again. */
  wake(name: string): void {
    this.#rests.delete(name);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  #rest(name: string, firstRestMs: number, failures: number): void {
    const ms = Math.min(LONGEST_REST_MS, firstRestMs * 2 ** failures);
    this.#rests.set(name, { until: performance.now() + ms, failures: Math.min(failures + 1, 20) });
  }
}
