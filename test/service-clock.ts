import type { Clock } from "../src/connectors/clock.ts";

interface Sleeper {
  ms: number;
  at: number;
  wake: () => void;
}

/** Time that stands still until the test lets some of it pass, for a service and whoever talks to it. */
export class ServiceClock implements Clock {
  #now: number;
  #sleepers = new Set<Sleeper>();
  #watchers = new Set<{ ms: number; found: () => void }>();

  constructor(start = Date.UTC(2026, 10, 18)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (ms <= 0) return;
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      };
      const wake = () => {
        signal.removeEventListener("abort", end);
        resolve();
      };
      const sleeper = { ms, at: this.#now + ms, wake };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", end, { once: true });
      for (const watcher of this.#watchers) if (watcher.ms === ms) watcher.found();
    });
  }

  /** Resolves when somebody sleeps for exactly so long. */
  async sleeping(ms: number): Promise<void> {
    if ([...this.#sleepers].some((sleeper) => sleeper.ms === ms)) return;
    await new Promise<void>((resolve) => {
      const watcher = {
        ms,
        found: () => {
          this.#watchers.delete(watcher);
          resolve();
        },
      };
      this.#watchers.add(watcher);
    });
  }

  /** Wakes whoever is due meanwhile, in order. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const [next] = [...this.#sleepers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#now = Math.max(this.#now, next.at);
      this.#sleepers.delete(next);
      next.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = until;
  }
}
