import { describe, expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "../events.ts";
import { apply } from "../fold.ts";
import { emptyJob } from "../job.ts";
import { type Lane, lanesOf } from "./lanes.ts";

const START = Date.UTC(2026, 0, 1);

/** Each event with the second at which it happens. */
function lanes(...events: (readonly [number, JobEvent])[]): Lane[] {
  const journal = events.map(
    ([second, event], index): JournalEvent => ({
      ...event,
      seq: index + 1,
      at: new Date(START + second * 1_000).toISOString(),
      job: "job-1",
      attempt: 1,
    }),
  );
  return lanesOf(journal.reduce(apply, emptyJob("job-1")), journal);
}

const created: JobEvent = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} };
const started: JobEvent = { type: "job:started", pid: 7, marker: "m" };
const starting = (session: string, ordinal: number, mode: "fresh" | "resumed" = "fresh"): JobEvent => ({
  type: "session:starting",
  session,
  ordinal,
  mode,
});
const response = (session: string, tokens: number, handoffAt?: number): JobEvent => ({
  type: "response",
  session,
  model: "m",
  context: { tokens, window: 100, percent: tokens, ...(handoffAt !== undefined && { handoffAt }) },
});
const limit: JobEvent = { type: "limit:waiting", session: "a", until: 0, message: "limit" };
const retry: JobEvent = { type: "retry", session: "a", number: 1, of: 3, delayMs: 4_000, message: "529" };

describe("the lanes of a job", () => {
  it("has one a session, with its window filling and its checkpoints", () => {
    const [first, second, none] = lanes(
      [0, created],
      [0, started],
      [1, starting("a", 1)],
      [3, response("a", 40)],
      [5, { type: "checkpoint", ref: "refs/baton/checkpoints/job-1/2", commit: "c", reason: "handoff" }],
      [6, response("a", 90, 85)],
      [7, { type: "session:ended", session: "a", reason: "handoff" }],
      [8, starting("b", 2)],
      [9, response("b", 20)],
    );
    expect(none).toBeUndefined();
    expect(first).toMatchObject({ ordinal: 1, mark: 85, end: "handoff", ms: 6_000 });
    expect(first?.points).toEqual([
      { ms: 2_000, tokens: 40 },
      { ms: 5_000, tokens: 90 },
    ]);
    expect(first?.checkpoints).toEqual([{ ms: 4_000, number: 2 }]);
    expect(second).toMatchObject({ session: "b", end: null, points: [{ ms: 1_000, tokens: 20 }] });
  });

  it("cuts out a wait for a limit and a retry's delay, and no more than that", () => {
    const [lane] = lanes(
      [0, created],
      [0, started],
      [0, starting("a", 1)],
      [2, limit],
      [602, { type: "limit:over", session: "a" }],
      [603, retry],
      [610, response("a", 10)],
    );
    expect(lane?.gaps).toEqual([
      { ms: 2_000, lastedMs: 600_000, because: "limit" },
      { ms: 3_000, lastedMs: 4_000, because: "retry" },
    ]);
    expect(lane?.points).toEqual([{ ms: 6_000, tokens: 10 }]);
  });

  it("continues the lane of a session that is resumed, with one gap for all the time between", () => {
    const [lane, none] = lanes(
      [0, created],
      [0, started],
      [0, starting("a", 1)],
      [2, response("a", 10)],
      [100, { type: "job:interrupted", message: "its process ended" }],
      [200, { type: "job:queued", priority: 0 }],
      [300, started],
      [301, starting("a", 1, "resumed")],
      [303, response("a", 30)],
    );
    expect(none).toBeUndefined();
    expect(lane?.gaps).toEqual([{ ms: 2_000, lastedMs: 299_000, because: "stopped" }]);
    expect(lane?.points.at(-1)).toEqual({ ms: 4_000, tokens: 30 });
  });

  it("counts no sleep of the machine as work", () => {
    const [lane] = lanes(
      [0, created],
      [0, starting("a", 1)],
      [60, { type: "clock:moved", byMs: 50_000 }],
      [61, response("a", 10)],
    );
    expect(lane?.gaps).toEqual([{ ms: 0, lastedMs: 50_000, because: "asleep" }]);
    expect(lane?.ms).toBe(11_000);
  });

  it("keeps a long session to what can be drawn, with its fullest moments", () => {
    const events = Array.from({ length: 5_000 }, (_, index): [number, JobEvent] => [
      index,
      response("a", index === 2_500 ? 99 : 1 + (index % 50)),
    ]);
    const [lane] = lanes([0, created], [0, starting("a", 1)], ...events);
    expect(lane?.points.length).toBeLessThanOrEqual(240);
    expect(lane?.points.some(({ tokens }) => tokens === 99)).toBe(true);
    expect(lane?.points.at(-1)?.ms).toBe(4_999_000);
  });
});
