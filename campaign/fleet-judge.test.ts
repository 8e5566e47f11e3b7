import { expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "../src/job/events.ts";
import { judgeBudget, judgeFires, judgeFleet } from "./fleet-judge.ts";

const LIMITS = { slots: 2, instances: { coder: 1 } };

let seq = 0;
const at = (job: string, second: number, attempt: number, event: JobEvent): JournalEvent => ({
  ...{ seq: ++seq, job, attempt },
  at: new Date(second * 1_000).toISOString(),
  ...event,
});
const created = (job: string, agent: string) =>
  at(job, 0, 0, { type: "job:created", agent, prompt: "Go", agentConfig: {} });
const started = (job: string, second: number, attempt = 1) =>
  at(job, second, attempt, { type: "job:started", pid: 1, marker: "m" });
const completed = (job: string, second: number, attempt = 1) =>
  at(job, second, attempt, { type: "job:completed", result: "Done" });

it("finds nothing wrong with jobs that ran one after the other, and counts those that were continued", () => {
  const events = [
    ...[created("a", "coder"), started("a", 1)],
    at("a", 9, 2, { type: "job:interrupted", message: "killed" }),
    ...[started("a", 10, 3), completed("a", 11, 3)],
    ...[created("b", "coder"), started("b", 2), completed("b", 3)],
  ];
  expect(judgeFleet(events, 2, LIMITS)).toEqual({
    jobs: 2,
    completed: 2,
    continued: 1,
    mostAtOnce: 1,
    problems: [],
  });
});

it("finds what ran twice, at once, too much of, or never", () => {
  const ok = { type: "tool:end", session: "s", id: "1", ok: true, output: "" } as const;
  const events = [
    ...[created("a", "coder"), started("a", 1), at("a", 2, 1, ok), at("a", 3, 1, ok), completed("a", 9)],
    ...[started("a", 2, 2), completed("a", 4, 2)],
    ...[created("b", "coder"), started("b", 2), completed("b", 3)],
    created("c", "other"),
  ];
  expect(judgeFleet(events, 4, LIMITS).problems).toEqual([
    "a was completed 2 times",
    "a did what was known to be done 2 times",
    "c was completed 0 times",
    "3 of 4 jobs are on record",
    "3 jobs ran at once, with 2 slots",
    "3 jobs of coder ran at once, and 1 may",
    "a was run by two owners at once",
  ]);
});

it("finds due times that nothing is on record of, and jobs that came of two", () => {
  const fire = (first: number, last: number, job: string | null) => ({
    first_due: new Date(first * 60_000).toISOString(),
    due: new Date(last * 60_000).toISOString(),
    count: last - first + 1,
    outcome: "queued",
    job,
  });
  expect(judgeFires([fire(0, 0, "a"), fire(1, 3, null), fire(4, 4, "b")], 60_000)).toEqual([]);
  expect(judgeFires([fire(0, 0, "a"), fire(2, 2, "a")], 60_000)).toEqual([
    "nothing is on record of what was due before 1970-01-01T00:02:00.000Z",
    "two due times have the same job",
  ]);
  expect(judgeFires([{ ...fire(0, 2, "a"), count: 2 }], 60_000)).toHaveLength(1);
  expect(judgeFires([], 60_000)).toEqual(["no schedule was ever due"]);
});

it("allows one response after its cap to each job that ran when it was reached", () => {
  const starting = (job: string) =>
    at(job, 2, 1, { type: "session:starting", session: job, ordinal: 1, mode: "fresh" });
  const response = (job: string, time: number) =>
    at(job, time, 1, {
      type: "response",
      session: job,
      model: "opus",
      costUsd: 0.4,
      context: { tokens: 1, window: 2, percent: 50 },
    });
  const begun = ["a", "b"].flatMap((job) => [created(job, "coder"), started(job, 1), starting(job)]);
  const budget = { agent: "coder", cap: 0.8, atOnce: 2 };
  const within = [...begun, response("a", 3), response("b", 3), response("a", 4)];
  expect(judgeBudget(within, budget)).toEqual([]);
  expect(judgeBudget(within, { ...budget, atOnce: 1 })).toEqual([
    "1 jobs of coder had a response after its cap, and 0 may",
  ]);
  expect(judgeBudget([...within, response("a", 5)], budget)).toEqual([
    "a had 2 responses after the cap of coder",
  ]);
  expect(judgeBudget([...within, response("a", 5)], { ...budget, agent: "other" })).toEqual([]);
  const unheard = at("a", 4, 2, { type: "session:known", session: "a", turns: 2, missedCostUsd: 0.4 });
  const killed = [...begun, response("a", 3), response("b", 3), unheard];
  expect(judgeBudget(killed, budget)).toEqual([]);
  expect(judgeBudget([...killed, response("a", 5)], budget)).toEqual([
    "a had 2 responses after the cap of coder",
  ]);
});
