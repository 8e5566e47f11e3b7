import { expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "../src/job/events.ts";
import { judgeFleet } from "./fleet-judge.ts";

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
