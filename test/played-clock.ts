import { afterEach, beforeEach, vi } from "vitest";

export const MINUTE = 60_000;

/** For all tests of a file: time stands still until the test lets some of it pass. */
export function playClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
