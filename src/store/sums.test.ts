import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { restoreStore } from "../../test/earlier-store.ts";
import type { JobEvent } from "../job/events.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "./claims.ts";
import { eventPage } from "./events.ts";
import { forgetJob } from "./forget.ts";
import { type AfterJob, countJobs, type JobFilter, jobPage } from "./job-list.ts";
import { createJob } from "./jobs.ts";
import { spendByModel, spendIn } from "./spend.ts";
import { openStore, type Store } from "./store.ts";
import { costliestJobs, sumsOfJobs } from "./sums.ts";
import { sweepInterrupted } from "./sweep.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-sums-"));
  path = join(folder, "baton.db");
});

afterEach(() => rmSync(folder, { recursive: true }));

const idOf = (index: number) => `job-2026-11-18-${String(index).padStart(6, "0")}`;
const at = (index: number) => new Date(Date.UTC(2026, 10, 18, 12, index));
const started: JobEvent = { type: "job:started", pid: 1, marker: "m" };
const starting: JobEvent = { type: "session:starting", session: "a", ordinal: 1, mode: "fresh" };
const response = (costUsd?: number): JobEvent => ({
  type: "response",
  session: "a",
  model: "opus",
  usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  ...(costUsd !== undefined && { costUsd }),
  context: { tokens: 10, window: 100, percent: 10 },
});

async function run(store: Store, index: number, events: JobEvent[], prompt = "Go"): Promise<void> {
  const agent = index % 2 === 0 ? "coder" : "reviewer";
  await createJob(store, idOf(index), { type: "job:created", agent, prompt, agentConfig: {} }, at(index));
  const claim = await claimJob(store, idOf(index), thisProcess(), at(index));
  let minutes = index;
  await using journal = new Journal(
    store,
    claim,
    () => at(minutes++),
    () => minutes * 60_000,
  );
  for (const event of events) await journal.record(event);
}

/** The sums that the database keeps, and those of its rows. */
async function bothSums(store: Store) {
  const byAgent = (await sumsOfJobs(store)).toSorted(byKey);
  const recounted = (await sumsOfJobs(store, { createdSince: new Date(0) })).toSorted(byKey);
  return { byAgent, recounted };
}

type Key = { agent: string; status: string; costBasis: string };
const byKey = (a: Key, b: Key) => (keyOf(a) < keyOf(b) ? -1 : 1);
const keyOf = ({ agent, status, costBasis }: Key) => `${agent} ${status} ${costBasis}`;

async function expectSumsToHold(store: Store): Promise<void> {
  const { byAgent, recounted } = await bothSums(store);
  expect(byAgent).toEqual(recounted);
  const spent = Map.groupBy(await spendIn(store), ({ agent, model }) => `${agent} ${model}`);
  const inAll = await spendByModel(store);
  expect(inAll).toHaveLength(spent.size);
  for (const { agent, model, costUsd, responses } of inAll) {
    const rows = spent.get(`${agent} ${model}`) ?? [];
    expect(costUsd).toBeCloseTo(rows.reduce((sum, row) => sum + row.costUsd, 0));
    expect(responses).toBe(rows.reduce((sum, row) => sum + row.responses, 0));
  }
}

it("adds up what is on record of all jobs, whatever becomes of them", async () => {
  await using store = await openStore(path);
  await run(store, 0, [started, starting, response(1), { type: "job:completed", result: "Done." }]);
  await run(store, 1, [started, starting, response(2), response(), { type: "job:failed", error: "No." }]);
  await run(store, 2, [started, starting, response(0.5)]);
  await run(store, 3, []);
  await expectSumsToHold(store);
  expect(await countJobs(store)).toEqual({ completed: 1, failed: 1, running: 1, created: 1 });

  await claimJob(store, idOf(2), { ...thisProcess(), boot: "an earlier boot" }, at(9));
  await sweepInterrupted(store, at(9));
  expect(await countJobs(store)).toEqual({ completed: 1, failed: 1, interrupted: 1, created: 1 });
  await expectSumsToHold(store);

  await forgetJob(store, idOf(0));
  await expectSumsToHold(store);
  expect(await sumsOfJobs(store, { agent: "coder" })).toMatchObject([
    { agent: "coder", status: "interrupted", jobs: 1, turns: 1, costUsd: 0.5, time: { setup: 180_000 } },
  ]);
  expect(await costliestJobs(store, 1)).toMatchObject([{ id: idOf(1), costUsd: 2, costBasis: "unknown" }]);
});

it("has the sums of a store of an earlier Baton, and of what that one still writes", async () => {
  restoreStore(path);
  await using store = await openStore(path);
  await expectSumsToHold(store);
  const before = await sumsOfJobs(store);
  expect(before.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(5);

  const older = new Database(path);
  const [id, snapshot] = older
    .prepare("SELECT id, snapshot FROM jobs ORDER BY id LIMIT 1")
    .raw()
    .get() as string[];
  const next = { ...JSON.parse(snapshot ?? ""), turns: 77, costUsd: 9, costBasis: "told", status: "failed" };
  older
    .prepare(
      "UPDATE jobs SET seq = seq + 1, status = 'failed', updated_at = '2026', snapshot = ? WHERE id = ?",
    )
    .run(JSON.stringify(next), id);
  older
    .prepare(
      "INSERT INTO jobs (id, agent, created_at, attempt, seq, status, updated_at, snapshot) VALUES (?, 'old', ?, 0, 1, 'created', '', ?)",
    )
    .run(idOf(1), at(1).toISOString(), JSON.stringify({ ...next, id: idOf(1), prompt: "Of the older one" }));
  older.close();
  await expectSumsToHold(store);
  expect(await sumsOfJobs(store, { agent: "old" })).toMatchObject([{ jobs: 1, turns: 77, costUsd: 9 }]);
  expect(await idsIn(store, { text: "older ONE" })).toEqual([idOf(1)]);
});

async function idsIn(store: Store, filter: JobFilter, limit = 2): Promise<string[]> {
  const found: string[] = [];
  for (let after: AfterJob | undefined; ; ) {
    const { jobs, next } = await jobPage(store, limit, filter, after);
    expect(jobs.length).toBeLessThanOrEqual(limit);
    found.push(...jobs.map(({ id }) => id));
    if (!next) return found;
    after = next;
  }
}

it("pages through jobs by status, agent and text, each once and the newest first", async () => {
  await using store = await openStore(path);
  for (let index = 0; index < 12; index++) {
    const end: JobEvent =
      index % 3 === 0 ? { type: "job:failed", error: "No." } : { type: "job:completed", result: "Done." };
    await run(
      store,
      index,
      [end],
      index % 4 === 0 ? `Mend the "login" page ${index}` : "Write 100% of the docs",
    );
  }
  const ids = (...indexes: number[]) => indexes.map(idOf);
  expect(await idsIn(store, {})).toEqual(ids(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  expect(await idsIn(store, { status: "failed" })).toEqual(ids(9, 6, 3, 0));
  expect(await idsIn(store, { status: ["completed", "failed"], agent: "coder" }, 5)).toEqual(
    ids(10, 8, 6, 4, 2, 0),
  );
  expect(await idsIn(store, { text: 'the "LOGIN"' })).toEqual(ids(8, 4, 0));
  expect(await idsIn(store, { text: "100%", status: "failed" })).toEqual(ids(9, 6, 3));
  expect(await idsIn(store, { text: "login OR docs" })).toEqual([]);
  await forgetJob(store, idOf(8));
  expect(await idsIn(store, { text: "login" })).toEqual(ids(4, 0));
});

it("pages through the events of a job in both directions", async () => {
  await using store = await openStore(path);
  await run(store, 0, [
    started,
    starting,
    response(1),
    response(1),
    { type: "job:completed", result: "Done." },
  ]);
  const seqs = async (limit: number, wanted: Parameters<typeof eventPage>[3]) => {
    const { events, next } = await eventPage(store, idOf(0), limit, wanted);
    return { seqs: events.map(({ seq }) => seq), next };
  };
  expect(await seqs(4, { order: "asc" })).toEqual({ seqs: [1, 2, 3, 4], next: 4 });
  expect(await seqs(4, { order: "asc", after: 4 })).toEqual({ seqs: [5, 6], next: undefined });
  expect(await seqs(3, { order: "desc" })).toEqual({ seqs: [6, 5, 4], next: 4 });
  expect(await seqs(3, { order: "desc", before: 4 })).toEqual({ seqs: [3, 2, 1], next: undefined });
  expect(await seqs(3, { order: "asc", types: ["response"] })).toEqual({ seqs: [4, 5], next: undefined });
});
