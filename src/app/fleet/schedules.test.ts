import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ScheduleConfig } from "../../config/config.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import { listJobs } from "../../store/job-list.ts";
import { createQueuedJob } from "../../store/queue.ts";
import { firesOf, scheduleRows, setPaused } from "../../store/schedules.ts";
import { openStore, type Store } from "../../store/store.ts";
import { DAY_MS, MINUTE_MS } from "../../util/time.ts";
import { fireDue } from "./schedules.ts";

const START = new Date("2026-01-01T12:30:00Z");
const HOUR_MS = 60 * MINUTE_MS;
const later = (ms: number) => new Date(START.getTime() + ms);
const hourly: ScheduleConfig = {
  ...{ name: "hourly", prompt: "Look around", enabled: true, catchUp: "latest", windowMs: DAY_MS },
  ...{ overlap: "parallel", times: { kind: "cron", expression: "0 * * * *", timezone: "UTC" } },
};

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-schedules-"));
  store = await openStore(join(folder, "baton.db"));
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** What a look of the fleet at this moment does, with these schedules. */
async function look(at: Date, ...schedules: ScheduleConfig[]): Promise<string[]> {
  const config = configWithoutFile(folder);
  const agents = config.agents.map((agent) => ({ ...agent, name: "coder", schedules }));
  const fired = await fireDue({ project: { root: folder }, config: { ...config, agents }, store }, at);
  return fired.map(({ outcome, count }) => `${outcome} ${count}`);
}

it("makes up for what came due while no fleet ran, and not for what a schedule was off", async () => {
  expect(await look(START, hourly)).toEqual([]);
  expect(await look(later(3 * HOUR_MS), hourly)).toEqual(["coalesced 2", "queued 1"]);

  expect(await look(later(4 * HOUR_MS), { ...hourly, enabled: false })).toEqual([]);
  expect(await look(later(8 * HOUR_MS), hourly)).toEqual([]);
  expect(await look(later(9 * HOUR_MS), hourly)).toEqual(["queued 1"]);
});

it("does not make up for the time in which a schedule was not there, either", async () => {
  await look(START, hourly);
  expect(await look(later(HOUR_MS))).toEqual([]);
  expect(await look(later(8 * HOUR_MS), hourly)).toEqual([]);
  expect((await scheduleRows(store)).map(({ nextDue }) => nextDue)).toEqual(["2026-01-01T21:00:00.000Z"]);
});

it("counts a run that somebody started by hand", async () => {
  const skips: ScheduleConfig = { ...hourly, overlap: "skip" };
  await look(START, skips);
  const created = { type: "job:created", agent: "coder", prompt: "Now", schedule: "hourly" } as const;
  await createQueuedJob(store, "job-1", { ...created, agentConfig: {} }, { priority: 0 }, START);
  expect(await look(later(HOUR_MS), skips)).toEqual(["skipped 1"]);
});

it("fires once if two look at the same moment", async () => {
  await look(START, hourly);
  await Promise.all([look(later(HOUR_MS), hourly), look(later(HOUR_MS), hourly)]);
  expect((await firesOf(store, 100)).map(({ outcome, count }) => `${outcome} ${count}`)).toEqual([
    "queued 1",
  ]);
  expect(await listJobs(store, 10)).toHaveLength(1);
});

it("skips what comes due in a pause, also where no fleet ran when that ended, and runs again by itself", async () => {
  await look(START, hourly);
  const until = later(3 * HOUR_MS).toISOString();
  const paused = { at: START.toISOString(), until };
  expect(await setPaused(store, { agent: "coder", name: "hourly" }, paused)).toBe(true);
  expect(await look(later(HOUR_MS), hourly)).toEqual(["skipped 1"]);
  expect(await look(later(5 * HOUR_MS), hourly)).toEqual(["skipped 2"]);
  expect(await scheduleRows(store)).toMatchObject([{ pausedAt: START.toISOString() }]);
  expect(await look(later(5 * HOUR_MS), hourly)).toEqual(["coalesced 1", "queued 1"]);
  expect(await scheduleRows(store)).toMatchObject([{ pausedAt: null, pausedUntil: null }]);
});
