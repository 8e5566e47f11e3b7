import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { restoreStore } from "../../test/earlier-store.ts";
import type { JobEvent } from "../job/events.ts";
import { NOTHING, sum } from "../job/spend.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "./claims.ts";
import { FencedError } from "./events.ts";
import { listJobs } from "./job-list.ts";
import { createJob } from "./jobs.ts";
import { spendIn } from "./spend.ts";
import { openStore } from "./store.ts";

const NOW = new Date("2026-11-18T12:07:00Z");

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-spend-"));
  path = join(folder, "baton.db");
});

afterEach(() => rmSync(folder, { recursive: true }));

const starting: JobEvent = { type: "session:starting", session: "a", ordinal: 1, mode: "fresh" };
const response = (costUsd: number): JobEvent => ({
  type: "response",
  session: "a",
  model: "opus",
  usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  costUsd,
  context: { tokens: 10, window: 100, percent: 10 },
});

async function journalOf(store: Awaited<ReturnType<typeof openStore>>, id: string): Promise<Journal> {
  await createJob(store, id, { type: "job:created", agent: "coder", prompt: "Go", agentConfig: {} }, NOW);
  return new Journal(store, await claimJob(store, id, thisProcess(), NOW), () => NOW);
}

it("grows with the events of all jobs, and is there with them", async () => {
  await using store = await openStore(path);
  for (const id of ["job-a", "job-b"]) {
    await using journal = await journalOf(store, id);
    journal.append(starting);
    journal.append(response(1));
    await journal.record(response(0.5));
  }
  expect(await spendIn(store)).toEqual([
    {
      ...{ quarter: "2026-11-18T12:00:00.000Z", agent: "coder", model: "opus" },
      ...{ costUsd: 3, simulatedUsd: 0, estimatedUsd: 3, unknown: 0, responses: 4 },
      ...{ input: 4, output: 8, cacheRead: 12, cacheWrite: 16 },
    },
  ]);
  expect(await spendIn(store, { from: new Date("2026-11-18T12:15:00Z") })).toEqual([]);
  expect(await spendIn(store, { to: NOW })).toEqual([]);
  expect(await spendIn(store, { agent: "reviewer" })).toEqual([]);
});

it("has nothing of an owner that was replaced", async () => {
  await using store = await openStore(path);
  const old = await journalOf(store, "job-a");
  await store.db.updateTable("jobs").set({ attempt: 7 }).execute();
  old.append(starting);
  await expect(old.record(response(1))).rejects.toThrow(FencedError);
  expect(await spendIn(store)).toEqual([]);
});

it("begins with what the jobs of an earlier Baton have cost", async () => {
  restoreStore(path);
  await using store = await openStore(path);
  const jobs = await listJobs(store, 10);
  const total = (await spendIn(store)).reduce(sum, NOTHING);
  const of = (figure: (job: (typeof jobs)[number]) => number) =>
    jobs.reduce((all, job) => all + figure(job), 0);
  expect(total.costUsd).toBeCloseTo(
    of(({ costUsd }) => costUsd),
    6,
  );
  expect(total).toMatchObject({
    input: of(({ usage }) => usage.input),
    output: of(({ usage }) => usage.output),
  });
  expect(total.responses).toBeGreaterThan(0);
});
