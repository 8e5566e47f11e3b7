import { setTimeout } from "node:timers/promises";

/** Passed in, because a service's limits are minutes and a test has none. */
export interface Clock {
  now(): number;
  /** Rejects where the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

export function aborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}

const LONGEST_MS = 60_000;

/** Before the next try after so many failures in a row: doubled each time, and never the same for two that failed together. */
export function backoffMs(failures: number, random: () => number, firstMs = 1_000): number {
  if (failures <= 0) return 0;
  const most = Math.min(LONGEST_MS, firstMs * 2 ** Math.min(failures - 1, 16));
  return Math.round(most * (0.5 + random() / 2));
}
