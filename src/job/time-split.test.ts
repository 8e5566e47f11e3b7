import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "./events.ts";
import { apply } from "./fold.ts";
import { emptyJob, type Job } from "./job.ts";
import { sumOfTimes, timeInWords, timeSplitAt, totalTime } from "./time-split.ts";

const START = Date.UTC(2026, 0, 1);
const s = "s1";

/** Each event with the second at which it happens. */
function fold(events: readonly (readonly [number, JobEvent])[]): Job {
  return events
    .map(
      ([second, event], index): JournalEvent => ({
        ...event,
        seq: index + 1,
        at: at(second).toISOString(),
        job: "job-1",
        attempt: 1,
      }),
    )
    .reduce(apply, emptyJob("job-1"));
}

const at = (second: number) => new Date(START + second * 1_000);
const created: JobEvent = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} };
const queued: JobEvent = { type: "job:queued", priority: 0 };
const started: JobEvent = { type: "job:started", pid: 7, marker: "m" };
const resumed: JobEvent = { type: "job:resumed", message: "resumed" };
const starting: JobEvent = { type: "session:starting", session: s, ordinal: 1, mode: "fresh" };
const asked: JobEvent = { type: "message:sent", session: s, kind: "request", text: "Do it" };
const said: JobEvent = { type: "message:sent", session: s, kind: "said", text: "And this" };
const response: JobEvent = {
  type: "response",
  session: s,
  model: "m",
  context: { tokens: 10, window: 100, percent: 10 },
};
const tool = (id: string): JobEvent => ({ type: "tool:start", session: s, id, name: "Bash", summary: "x" });
const done = (id: string): JobEvent => ({ type: "tool:end", session: s, id, ok: true, output: "" });
const retry: JobEvent = { type: "retry", session: s, number: 1, of: 3, delayMs: 4_000, message: "busy" };
const limited: JobEvent = { type: "limit:waiting", session: s, until: START + 9e6, message: "limit" };
const completed: JobEvent = { type: "job:completed", result: "Done" };
const interrupted: JobEvent = { type: "job:interrupted", message: "gone" };
const atWork = [
  [0, created],
  [0, started],
  [0, starting],
  [0, asked],
] as const;

describe("where the time of a job went", () => {
  it("goes to the slot, the setup, the model and the tools, each for as long as it took", () => {
    const job = fold([
      [0, created],
      [0, queued],
      [30, started],
      [32, starting],
      [35, asked],
      [45, response],
      [45, tool("a")],
      [46, tool("b")],
      [50, done("a")],
      [60, done("b")],
      [67, completed],
    ]);
    expect(job.time?.split).toEqual({ slot: 30_000, setup: 5_000, model: 17_000, tools: 15_000 });
    expect(timeInWords(job.time?.split ?? {})).toBe(
      "waiting for a slot 30 s, model 17 s, tools 15 s, setup and closing 5 s",
    );
  });

  it("goes to limits, to waits before a retry, and to the person who was waited for", () => {
    const job = fold([
      ...atWork,
      [10, retry],
      [20, response],
      [20, limited],
      [80, { type: "limit:over", session: s }],
      [85, { type: "person:awaited", session: s }],
      [185, said],
      [190, tool("a")],
      [230, { type: "tool:permitted", session: s, id: "a", name: "Bash" }],
      [231, done("a")],
      [231, completed],
    ]);
    expect(job.time?.split).toEqual({
      model: 26_000,
      retries: 4_000,
      limit: 60_000,
      person: 140_000,
      tools: 1_000,
    });
  });

  it("goes to a handoff until the next session has it", () => {
    const names = { agentName: "coder", jobId: "job-1", oldSessionId: s };
    const figures = { usagePercent: 0.9, inputTokens: 90, contextWindow: 100, handoffNumber: 1 };
    const written = { source: "agent", outcome: "written", durationMs: 1 } as const;
    const next: JobEvent = { type: "message:sent", session: "s2", kind: "continuation", text: "go" };
    const job = fold([
      ...atWork,
      [10, { type: "context:handoff:start", ...names, ...figures, trigger: "threshold" }],
      [
        25,
        {
          type: "handoff:stored",
          handoffNumber: 1,
          session: s,
          documentPath: "/d.md",
          checks: [],
          ...written,
        },
      ],
      [26, { type: "session:starting", session: "s2", ordinal: 2, mode: "continuation" }],
      [30, { type: "context:handoff:complete", ...names, newSessionId: "s2", handoffNumber: 1 }],
      [31, next],
      [36, completed],
    ]);
    expect(job.time?.split).toEqual({ model: 15_000, handoffs: 20_000, setup: 1_000 });
  });

  it("counts what lay between two runs as stopped, and what came after the end not at all", () => {
    const job = fold([
      ...atWork,
      [10, response],
      [500, interrupted],
      [600, resumed],
      [601, asked],
      [611, completed],
      [9_000, { type: "workspace:removed", branchKept: false }],
    ]);
    expect(job.time?.split).toEqual({ model: 21_000, stopped: 590_000 });
    expect(totalTime(job.time?.split ?? {})).toBe(21_000);
    expect(timeSplitAt(job, at(99_999))).toEqual(job.time?.split);
  });

  it("leaves out the time in which the machine slept", () => {
    const job = fold([...atWork, [3_610, { type: "clock:moved", byMs: 3_600_000 }], [3_611, completed]]);
    expect(job.time?.split).toEqual({ model: 11_000, asleep: 3_600_000 });
  });

  it("goes on until now while the job is at work, or waits for its slot", () => {
    expect(timeSplitAt(fold([...atWork, [5, tool("a")]]), at(65))).toEqual({ model: 5_000, tools: 60_000 });
    expect(timeSplitAt(fold([...atWork, [5, retry]]), at(7))).toEqual({ model: 5_000, retries: 2_000 });
    const waits = fold([
      [0, created],
      [0, queued],
    ]);
    expect(timeSplitAt(waits, at(40))).toEqual({ slot: 40_000 });
  });

  it("is not known of a job whose beginning was not told", () => {
    expect(timeSplitAt(fold([[5, response]]), at(9))).toBeUndefined();
  });

  it("adds up to all the time there was, whatever happens in it", () => {
    const events = [queued, started, resumed, starting, asked, said, response, tool("a"), done("a")];
    const any = fc.constantFrom(...events, retry, limited, interrupted, completed);
    const journal = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), any), { maxLength: 40 });
    fc.assert(
      fc.property(journal, (steps) => {
        let second = 0;
        const timed = steps.map(([later, event]) => {
          second += later;
          return [second, event] as const;
        });
        const { time } = fold([[0, created], ...timed]);
        const all = sumOfTimes(time?.split ?? {}, { stopped: time?.restedMs ?? 0 });
        expect(Object.values(all).reduce((sum, ms) => sum + ms, 0)).toBe(second * 1_000);
      }),
    );
  });
});
