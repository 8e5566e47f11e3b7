import fc from "fast-check";
import { expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "./events.ts";
import { apply } from "./fold.ts";
import { emptyJob, type Job } from "./job.ts";
import { NOTHING, quarterOf, type Spend, spendOf, sum, together } from "./spend.ts";

const created: JobEvent = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} };
const context = { tokens: 10, window: 100, percent: 10 };
const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };

function spentIn(events: readonly JobEvent[], at = (_: number) => "2026-11-18T12:07:00.000Z") {
  let job: Job = emptyJob("job-1");
  const spent: Spend[] = [];
  for (const [index, event] of events.entries()) {
    const entry: JournalEvent = { seq: index + 1, at: at(index), job: job.id, attempt: 1, ...event };
    const after = apply(job, entry);
    spent.push(...spendOf(job, after, entry));
    job = after;
  }
  return { job, spent: together(spent) };
}

const session = fc.constantFrom("a", "b");
const costUsd = fc.double({ min: 0, max: 5, noNaN: true });
const model = fc.constantFrom("opus", "haiku");
const events: fc.Arbitrary<JobEvent> = fc.oneof(
  fc.record({
    type: fc.constant("session:starting" as const),
    session,
    ordinal: fc.constant(1),
    mode: fc.constant("resumed" as const),
    agent: fc.constantFrom("coder", "reviewer"),
  }),
  fc.record(
    {
      type: fc.constant("response" as const),
      session,
      model,
      usage: fc.constant(usage),
      context: fc.constant(context),
      costUsd,
      simulated: fc.constant(true as const),
    },
    { requiredKeys: ["type", "session", "model", "context"] },
  ),
  fc.record(
    {
      type: fc.constant("subagent:response" as const),
      session,
      subagent: fc.constant("s"),
      model,
      usage: fc.constant(usage),
      costUsd,
    },
    { requiredKeys: ["type", "session", "subagent", "model"] },
  ),
  fc.record({ type: fc.constant("cost" as const), session, costUsd }),
  fc.record({
    type: fc.constant("session:known" as const),
    session,
    turns: fc.nat(5),
    missedCostUsd: costUsd,
  }),
);

it("adds up to what the job has cost, whatever happens in it", () => {
  const begun: JobEvent[] = ["a", "b"].map((session, index) => ({
    type: "session:starting",
    session,
    ordinal: index + 1,
    mode: "fresh",
  }));
  fc.assert(
    fc.property(fc.array(events, { maxLength: 40 }), (more) => {
      const { job, spent } = spentIn([created, ...begun, ...more]);
      const total = spent.reduce(sum, NOTHING);
      expect(total.costUsd).toBeCloseTo(job.costUsd, 6);
      expect(total.simulatedUsd).toBeCloseTo(job.simulatedUsd ?? 0, 6);
      expect(total.unknown > 0).toBe(job.costBasis === "unknown");
      expect(total).toMatchObject({
        input: job.usage.input,
        output: job.usage.output,
        cacheRead: job.usage.cacheRead,
        cacheWrite: job.usage.cacheWrite,
      });
      if (job.costBasis === "told") expect(total.estimatedUsd).toBeCloseTo(0, 6);
    }),
  );
});

it("is that of the agent, the model and the quarter of an hour", () => {
  const starting: JobEvent = {
    type: "session:starting",
    session: "a",
    ordinal: 1,
    mode: "fresh",
    agent: "reviewer",
  };
  const { spent } = spentIn(
    [
      created,
      starting,
      { type: "response", session: "a", model: "opus", usage, costUsd: 1, context },
      { type: "subagent:response", session: "a", subagent: "s", model: "haiku", usage, costUsd: 0.25 },
      { type: "response", session: "a", model: "opus", usage, costUsd: 2, context },
    ],
    (index) => `2026-11-18T12:${String(10 + index).padStart(2, "0")}:59.000Z`,
  );
  const shown = spent.map(({ quarter, agent, model, costUsd, responses }) => ({
    at: quarter.slice(11, 16),
    agent,
    model,
    costUsd,
    responses,
  }));
  expect(shown).toEqual([
    { at: "12:00", agent: "reviewer", model: "opus", costUsd: 3, responses: 2 },
    { at: "12:00", agent: "reviewer", model: "haiku", costUsd: 0.25, responses: 1 },
  ]);
  expect(quarterOf(new Date("2026-11-18T12:15:00Z"))).toBe("2026-11-18T12:15:00.000Z");
});

it("is less where the program tells less than was estimated", () => {
  const starting: JobEvent = { type: "session:starting", session: "a", ordinal: 1, mode: "fresh" };
  const { spent } = spentIn([
    created,
    starting,
    { type: "response", session: "a", model: "opus", usage, costUsd: 3, context },
    { type: "session:started", session: "a", model: "opus", program: "p" },
    { type: "cost", session: "a", costUsd: 2 },
  ]);
  expect(spent).toMatchObject([{ model: "opus", costUsd: 2, estimatedUsd: 0, responses: 1 }]);
});
