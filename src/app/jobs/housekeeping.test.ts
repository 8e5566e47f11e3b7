import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { resolveAgent } from "../../config/layers/resolve.ts";
import { Journal } from "../../jobs/journal.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { createJob } from "../../store/jobs.ts";
import { keepSession } from "../../store/kept-sessions.ts";
import { openStore, type Store } from "../../store/store.ts";
import { keepHouse } from "./housekeeping.ts";

const HOUR_MS = 3_600_000;
const maintenance = {
  worktreeCleanup: {
    enabled: true,
    intervalMs: HOUR_MS,
    maxWorktreeAgeMs: HOUR_MS,
    maxCheckpointAgeMs: HOUR_MS,
    pruneUnmergedBranches: false,
  },
  sessionCleanup: { enabled: false, intervalMs: HOUR_MS },
  jobCleanup: { keep: 0 },
};
let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-house-"));
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  store = await openStore(join(folder, "baton.db"));
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function newJob(name: string): Promise<string> {
  const id = `job-2026-01-01-${name}`;
  const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;
  await createJob(store, id, created, new Date());
  return id;
}

/** A job of this process whose agent is up. */
async function jobAtWork(name: string, cleanupOnStartup = true) {
  const id = await newJob(name);
  const claim = await claimJob(store, id, thisProcess(), new Date());
  const journal = new Journal(store, claim, () => new Date());
  const config = resolveAgent("coder", {}, { root: folder, home: folder });
  const ending = new AbortController();
  const { worktreeCleanup, ...others } = maintenance;
  const wanted = { worktreeCleanup: { ...worktreeCleanup, cleanupOnStartup }, ...others };
  const house = keepHouse(store, journal, config, wanted, ending.signal);
  await journal.record({ type: "session:started", session: name, model: "m", program: "p" });
  return {
    ending,
    async over() {
      await house[Symbol.asyncDispose]();
      await journal.close();
    },
  };
}

function countingQueries() {
  const spy = vi.spyOn(store.db, "selectFrom");
  return { of: (table: string) => spy.mock.calls.filter(([from]) => String(from) === table).length };
}

it("is kept once for all jobs of a process, and by the last of them to its end", async () => {
  const kept = { agent: "coder", work_item: "", session: "s", folder, program: "p" };
  await keepSession(store, { ...kept, job: await newJob("earlier"), expires_at: "2026-01-01" });
  const asked = countingQueries();
  const one = await jobAtWork("one");
  const two = await jobAtWork("two");
  await one.over();
  await two.over();
  expect(asked.of("kept_sessions")).toBe(1);
  expect(await store.db.selectFrom("kept_sessions").selectAll().execute()).toEqual([]);
});

it("goes on at each interval for as long as a job is left", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const one = await jobAtWork("one");
  const two = await jobAtWork("two");
  expect(vi.getTimerCount()).toBe(1);
  await one.over();
  expect(vi.getTimerCount()).toBe(1);
  await two.over();
  expect(vi.getTimerCount()).toBe(0);
  const three = await jobAtWork("three");
  expect(vi.getTimerCount()).toBe(1);
  await three.over();
});

it("goes on while one job is ended and another is not", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const asked = countingQueries();
  const one = await jobAtWork("one", false);
  const two = await jobAtWork("two", false);
  one.ending.abort();
  await one.over();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  await two.over();
  expect(asked.of("kept_sessions")).toBe(1);
});
