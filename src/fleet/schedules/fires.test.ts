import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScheduleConfig } from "../../config/config.ts";
import { DAY_MS, MINUTE_MS } from "../../util/time.ts";
import { dueUntil, nextDue } from "./due.ts";
import { decide, type Fire, type ScheduleState } from "./fires.ts";

const cron = (
  expression: string,
  timezone = "Europe/Berlin",
  more: Partial<ScheduleConfig> = {},
): ScheduleConfig => ({
  ...{ name: "nightly", enabled: true, catchUp: "latest", windowMs: DAY_MS, overlap: "queue" },
  times: { kind: "cron", expression, timezone },
  ...more,
});
const every = (everyMs: number, more: Partial<ScheduleConfig> = {}): ScheduleConfig => ({
  ...cron("0 3 * * *"),
  times: { kind: "interval", everyMs },
  ...more,
});
const HOUR_MS = 60 * MINUTE_MS;
const FREE: Omit<ScheduleState, "next"> = { isPaused: false, waiting: 0, running: 0 };
const at = (text: string) => new Date(text);
const told = ({ fires }: { fires: Fire[] }) => fires.map(({ outcome, count }) => `${outcome} ${count}`);

describe("a due time", () => {
  it("comes once on the days on which the clocks change", () => {
    const schedule = cron("30 2 * * *");
    expect(nextDue(schedule, at("2026-03-28T12:00:00Z"))?.toISOString()).toBe("2026-03-29T01:00:00.000Z");
    expect(nextDue(schedule, at("2026-03-29T01:00:00Z"))?.toISOString()).toBe("2026-03-30T00:30:00.000Z");
    expect(nextDue(schedule, at("2026-10-24T12:00:00Z"))?.toISOString()).toBe("2026-10-25T00:30:00.000Z");
    expect(nextDue(schedule, at("2026-10-25T00:30:00Z"))?.toISOString()).toBe("2026-10-26T01:30:00.000Z");
  });

  it("of an interval is counted from the one before it, however late that was", () => {
    const { fires, next } = decide(
      every(HOUR_MS),
      { ...FREE, next: at("2026-01-01T00:00:00Z") },
      at("2026-01-01T00:20:00Z"),
    );
    expect(fires).toMatchObject([{ outcome: "queued", count: 1 }]);
    expect(next).toEqual(at("2026-01-01T01:00:00Z"));
  });

  it("of years of minutes is not looked for one by one", () => {
    const [first, now] = [at("2020-01-01T00:00:00Z"), at("2026-01-01T00:00:00Z")];
    const { old, recent } = dueUntil(every(MINUTE_MS), first, {
      since: new Date(now.getTime() - HOUR_MS),
      now,
    });
    expect((old?.count ?? 0) + recent.length).toBe((now.getTime() - first.getTime()) / MINUTE_MS + 1);
  });

  it("of an expression that came thousands of times is looked for in steps, each time once", () => {
    const schedule = cron("* * * * *", "UTC", { windowMs: 10 * MINUTE_MS });
    const [first, now] = [at("2026-01-01T00:00:00Z"), at("2026-01-04T12:00:00Z")];
    const one = decide(schedule, { ...FREE, next: first }, now);
    expect(told(one)).toEqual(["missed 5000"]);
    const next = one.next ?? now;
    expect(next).toEqual(new Date(first.getTime() + 5_000 * MINUTE_MS));
    expect(told(decide(schedule, { ...FREE, next }, now))).toEqual(["missed 30", "coalesced 10", "queued 1"]);
  });
});

describe("runs that were missed", () => {
  const missed = { ...FREE, next: at("2026-01-01T00:00:00Z") };
  const now = at("2026-01-03T00:30:00Z");

  it.each([
    ["latest", ["missed 25", "coalesced 23", "queued 1"]],
    ["all", ["missed 25", ...Array(24).fill("queued 1")]],
    ["skip", ["missed 49"]],
  ] as const)("with catch_up %s", (catchUp, expected) => {
    expect(told(decide(every(HOUR_MS, { catchUp }), missed, now))).toEqual(expected);
  });

  it("are skipped while the schedule is paused", () => {
    expect(told(decide(every(HOUR_MS), { ...missed, isPaused: true }, now))).toEqual([
      "missed 25",
      "skipped 24",
    ]);
  });
});

describe("a run that comes while the one before it has not ended", () => {
  const next = at("2026-01-01T00:00:00Z");
  const due = (overlap: ScheduleConfig["overlap"], state: Partial<ScheduleState>) =>
    told(decide(every(HOUR_MS, { overlap }), { ...FREE, next, ...state }, next));

  it("waits, does not run, or runs beside it", () => {
    expect(due("queue", { running: 1 })).toEqual(["queued 1"]);
    expect(due("queue", { running: 1, waiting: 1 })).toEqual(["coalesced 1"]);
    expect(due("skip", { running: 1 })).toEqual(["skipped 1"]);
    expect(due("skip", { waiting: 1 })).toEqual(["skipped 1"]);
    expect(due("parallel", { running: 1, waiting: 1 })).toEqual(["queued 1"]);
  });
});

const anySchedule = fc
  .record({
    times: fc.oneof(
      fc.constantFrom(
        { kind: "cron" as const, expression: "30 2 * * *", timezone: "Europe/Berlin" },
        { kind: "cron" as const, expression: "15 1 * * *", timezone: "America/New_York" },
        { kind: "cron" as const, expression: "0 */6 * * *", timezone: "Australia/Lord_Howe" },
        { kind: "cron" as const, expression: "0 9 * * 1-5", timezone: "Asia/Kolkata" },
        { kind: "cron" as const, expression: "0 0 29 2 *", timezone: "UTC" },
      ),
      fc
        .constantFrom(HOUR_MS, 7 * HOUR_MS, DAY_MS + MINUTE_MS)
        .map((everyMs) => ({ kind: "interval" as const, everyMs })),
    ),
    catchUp: fc.constantFrom("latest" as const, "skip" as const, "all" as const),
    windowMs: fc.constantFrom(HOUR_MS, DAY_MS, 7 * DAY_MS),
    overlap: fc.constantFrom("queue" as const, "skip" as const, "parallel" as const),
  })
  .map((some): ScheduleConfig => ({ ...cron("0 3 * * *"), ...some }));

/** How long nobody looks: a fleet that runs, a machine that sleeps, one that is off. */
const anyGap = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1_000, max: 10 * MINUTE_MS }) },
  { weight: 3, arbitrary: fc.integer({ min: HOUR_MS, max: 12 * HOUR_MS }) },
  { weight: 1, arbitrary: fc.integer({ min: DAY_MS, max: 20 * DAY_MS }) },
);

describe("400 days with two changes of the clocks, sleeps and restarts", () => {
  it("account for every due time once, in order, and keep the next one durable", () => {
    const begin = at("2026-01-01T00:00:00Z");
    const end = new Date(begin.getTime() + 400 * DAY_MS);
    fc.assert(
      fc.property(
        anySchedule,
        fc.infiniteStream(anyGap),
        fc.infiniteStream(fc.nat(2)),
        (schedule, gaps, busy) => {
          const first = schedule.times.kind === "interval" ? begin : nextDue(schedule, begin);
          let next = first;
          const fires: Fire[] = [];
          for (let now = begin; now <= end && next !== undefined; ) {
            const state = {
              isPaused: busy.next().value === 2,
              waiting: busy.next().value ?? 0,
              running: busy.next().value ?? 0,
            };
            if (next <= now) {
              // A restart knows nothing but what is on record: the next due time.
              const decided = decide(schedule, { ...state, next: new Date(next.toISOString()) }, now);
              fires.push(...decided.fires);
              if (decided.next !== undefined) expect(decided.next > now).toBe(true);
              next = decided.next;
            }
            now = new Date(now.getTime() + Number(gaps.next().value));
          }
          let due = first;
          for (const fire of fires) {
            expect(fire.first).toEqual(due);
            for (let number = 1; number < fire.count; number++) due = due && nextDue(schedule, due);
            expect(fire.last).toEqual(due);
            due = due && nextDue(schedule, due);
          }
          expect(due).toEqual(next);
        },
      ),
      { numRuns: 60 },
    );
  });
});
