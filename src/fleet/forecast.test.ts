import { describe, expect, it } from "vitest";
import type { ScheduleConfig } from "../config/config.ts";
import type { WorkSourceConfig } from "../config/work-source.ts";
import { DAY_MS, MINUTE_MS } from "../util/time.ts";
import type { Waiting } from "./admission.ts";
import { type Forecast, forecast, type Outlook } from "./forecast.ts";

const PROJECT = "/project";
const NOW = new Date("2026-01-01T00:00:00Z");
const HOUR_MS = 60 * MINUTE_MS;
const later = (ms: number) => new Date(NOW.getTime() + ms);

const every = (everyMs: number, more: Partial<ScheduleConfig> = {}): ScheduleConfig => ({
  ...{ name: "often", enabled: true, catchUp: "latest", windowMs: DAY_MS, overlap: "queue" },
  times: { kind: "interval", everyMs },
  ...more,
});

const waits = (job: string, agent: string, more: Partial<Waiting> = {}): Waiting => ({
  ...{ project: PROJECT, job, agent, priority: 0, place: 1, queuedAt: "", after: [] },
  ...more,
});

function seen(more: Partial<Outlook>, ofAgent = 1): Forecast {
  return forecast({
    ...{
      now: NOW,
      until: later(DAY_MS),
      schedules: [],
      running: [],
      waiting: [],
      others: [],
    },
    limits: { total: 2, ofProject: () => 2, ofAgent: () => ofAgent },
    lastServed: () => undefined,
    bars: [],
    usualMs: () => 10 * MINUTE_MS,
    ...more,
  });
}

const minutes = (at: Date | undefined) => at && (at.getTime() - NOW.getTime()) / MINUTE_MS;
const told = ({ runs }: Forecast) =>
  runs.map(({ job, schedule, starts, ends }) => [job ?? schedule, minutes(starts), minutes(ends)]);

describe("a forecast", () => {
  it("has every due time of the next day, each with a job", () => {
    const { runs, lapses, most } = seen({
      schedules: [{ project: PROJECT, agent: "a", schedule: every(HOUR_MS), next: NOW }],
    });
    expect(runs).toHaveLength(25);
    expect(runs.map(({ due }) => minutes(due))).toEqual(Array.from({ length: 25 }, (_, hour) => 60 * hour));
    expect(lapses).toEqual([]);
    expect(most).toEqual({ slots: 1, at: NOW });
  });

  it("has a run for each item that is ready when a schedule looks for work, and none for what nobody knows", () => {
    const schedule = every(12 * HOUR_MS, { workSource: {} as WorkSourceConfig });
    const found = seen({ schedules: [{ project: PROJECT, agent: "a", schedule, next: NOW, items: 2 }] }, 2);
    expect(found.looks.map(({ due }) => minutes(due))).toEqual([0, 12 * 60, 24 * 60]);
    expect(told(found)).toEqual([
      ["often", 0, 10],
      ["often", 0, 10],
    ]);
    expect(found.lapses).toEqual([]);
  });

  it("lets jobs wait for what runs, and says what they wait for", () => {
    const running = [
      { project: PROJECT, job: "r", agent: "a", since: later(-MINUTE_MS), left: 5 * MINUTE_MS },
    ];
    const found = seen({ running, waiting: [waits("w", "a")] });
    expect(told(found)).toEqual([
      ["r", -1, 5],
      ["w", 5, 15],
    ]);
    expect(found.runs[1]?.waits).toEqual({ code: "agent-full", text: "a is at 1 of 1" });
  });

  it("lets a job come after the one that it waits for", () => {
    const waiting = [
      waits("second", "a", { after: [{ job: "first", status: "queued" }] }),
      waits("first", "a", { place: 2 }),
    ];
    expect(told(seen({ waiting }, 2))).toEqual([
      ["second", 10, 20],
      ["first", 0, 10],
    ]);
  });

  it("goes by what a schedule does while its last run has not ended", () => {
    const long = { usualMs: () => 90 * MINUTE_MS, until: later(4 * HOUR_MS) };
    const of = (overlap: ScheduleConfig["overlap"]) =>
      seen(
        {
          ...long,
          schedules: [{ project: PROJECT, agent: "a", schedule: every(HOUR_MS, { overlap }), next: NOW }],
        },
        2,
      );
    expect(told(of("skip")).map(([, starts]) => starts)).toEqual([0, 120, 240]);
    expect(of("skip").lapses).toMatchObject([{ outcome: "skipped" }, { outcome: "skipped" }]);
    expect(told(of("queue")).map(([, starts]) => starts)).toEqual([0, 90, 180, undefined]);
    expect(told(of("parallel")).map(([, starts]) => starts)).toEqual([0, 60, 120, 180, 240]);
    expect(of("parallel").most).toEqual({ slots: 2, at: later(HOUR_MS) });
  });

  it("knows no end of what never ran before, and lets it hold nothing up", () => {
    const found = seen({
      usualMs: () => undefined,
      waiting: [waits("x", "a"), waits("y", "a", { place: 2 })],
    });
    expect(told(found)).toEqual([
      ["x", 0, undefined],
      ["y", 0, undefined],
    ]);
  });

  it("starts nothing that is kept from starting", () => {
    const barred = () => ({ code: "halted" as const, text: "all work is halted" });
    const found = seen({ bars: [{ from: NOW, barred }], waiting: [waits("x", "a")] });
    expect(found.runs).toEqual([
      {
        project: PROJECT,
        agent: "a",
        job: "x",
        due: NOW,
        waits: { code: "halted", text: "all work is halted" },
      },
    ]);
  });

  it("lets several projects share the slots, also those that they will take", () => {
    const of = (project: string, next: Date) => ({ project, agent: "a", schedule: every(DAY_MS), next });
    const found = seen({
      limits: { total: 1, ofProject: () => 1, ofAgent: () => 1 },
      schedules: [of("/one", later(HOUR_MS)), of("/other", later(HOUR_MS + 5 * MINUTE_MS))],
      waiting: [waits("same", "a", { project: "/one" }), waits("same", "a", { project: "/other" })],
    });
    expect(found.runs.map(({ project, starts }) => [project, minutes(starts)])).toEqual([
      ["/one", 0],
      ["/other", 10],
      ["/one", 60],
      ["/other", 70],
    ]);
    expect(found.most.slots).toBe(1);
  });

  it("starts it once nothing does any more", () => {
    const limited = () => ({ code: "held" as const, text: "the limit is reached" });
    const bars = [
      { from: NOW, barred: limited },
      { from: later(HOUR_MS), barred: () => undefined },
    ];
    const found = seen({ bars, waiting: [waits("x", "a")] });
    expect(told(found)).toEqual([["x", 60, 70]]);
    expect(found.runs[0]?.waits?.code).toBe("held");
  });
});
