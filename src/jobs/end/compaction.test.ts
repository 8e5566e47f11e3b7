import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../test/job-worktree.ts";
import { configIn, PROMPT, typesOf } from "../../../test/played-job.ts";
import { noFacts } from "../../handoff/facts.ts";
import type { JobEvent } from "../../job/events.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { readEvents } from "../../store/events.ts";
import { listJobs } from "../../store/job-list.ts";
import { getJob } from "../../store/jobs.ts";
import { openStore } from "../../store/store.ts";
import { DAY_MS } from "../../util/time.ts";
import { logFor, logOf } from "../background-log.ts";
import { Journal } from "../journal.ts";
import { newJob } from "../new-job.ts";
import { compactJournals } from "./compaction.ts";

const context = { tokens: 1_000, window: 200_000, percent: 0.5 };
const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const work: JobEvent[] = [
  { type: "job:started", pid: 1, marker: "m" },
  { type: "workspace:ready", strategy: "static", path: "/project" },
  { type: "session:starting", session: "a", ordinal: 1, mode: "fresh" },
  { type: "response", session: "a", model: "m", usage, context },
  { type: "tool:start", session: "a", id: "1", name: "Bash", summary: "ls" },
  { type: "tool:end", session: "a", id: "1", ok: true, output: "x".repeat(1_000) },
  { type: "cost", session: "a", costUsd: 0.25 },
  { type: "facts:collected", handoffNumber: 1, facts: noFacts(PROMPT) },
  { type: "checkpoint", ref: "refs/baton/job/1", commit: "c", reason: "handoff 1" },
  { type: "session:ended", session: "a", reason: "completed" },
];
const completed: JobEvent = { type: "job:completed", result: "Done." };
const failed: JobEvent = { type: "job:failed", error: "No key." };
const paused: JobEvent = { type: "job:paused", code: "max_turns", message: "12 turns." };

async function storeWith(...ends: JobEvent[]) {
  const folder = await temporaryFolder();
  const store = await openStore(join(folder, "baton.db"));
  onTestFinished(() => store.close());
  const ids: string[] = [];
  for (const [index, end] of ends.entries()) {
    const id = await newJob(store, {}, configIn(folder), PROMPT);
    const at = new Date(Date.parse("2026-01-01T00:00:00.000Z") + index * DAY_MS);
    await using journal = new Journal(store, await claimJob(store, id, thisProcess(), at), () => at);
    for (const event of [...work, end]) journal.append(event);
    ids.push(id);
  }
  const { signal } = new AbortController();
  const now = () => new Date("2026-03-01T00:00:00.000Z");
  const compacted = (maxAgeMs: number | undefined, keep: number, dryRun = false) =>
    compactJournals(store, { ...(maxAgeMs !== undefined && { maxAgeMs }), keep }, { dryRun, signal, now });
  return { store, ids, compacted };
}

it("leaves of a journal what a job came to, its documents' facts and its checkpoints", async () => {
  const { store, ids, compacted } = await storeWith(completed);
  const [id = ""] = ids;
  const before = await getJob(store, id);
  vi.stubEnv("XDG_STATE_HOME", await temporaryFolder());
  await mkdir(dirname(logFor(id)), { recursive: true });
  await writeFile(logFor(id), "what its process printed\n");
  expect(await compacted(DAY_MS, 0, true)).toEqual([{ job: id, events: 8 }]);
  expect(await getJob(store, id)).toEqual(before);
  expect(logOf(before)).toBe(logFor(id));
  expect(await compacted(DAY_MS, 0)).toEqual([{ job: id, events: 8 }]);
  expect(logOf(before)).toBeUndefined();
  const kept = ["job:created", "facts:collected", "checkpoint", "job:completed", "journal:compacted"];
  expect(typesOf(await readEvents(store, id, 0))).toEqual(kept);
  const after = await getJob(store, id);
  expect(after).toEqual({
    ...before,
    seq: before.seq + 1,
    attempt: before.attempt + 1,
    compacted: { events: 8, at: "2026-03-01T00:00:00.000Z" },
  });
  expect(await compacted(DAY_MS, 0)).toEqual([]);

  // As after a change of what events fold to.
  await store.db.updateTable("jobs").set({ snapshot: null }).execute();
  expect(await getJob(store, id)).toEqual(after);
  expect(await listJobs(store, 5)).toEqual([after]);
});

it("leaves alone what is young, the newest, what may be resumed, and everything where no age is set", async () => {
  const { ids, compacted } = await storeWith(completed, paused, failed, completed);
  const [first, , third] = ids;
  expect(await compacted(undefined, 0, true)).toEqual([]);
  expect(await compacted(365 * DAY_MS, 0, true)).toEqual([]);
  const jobs = async (keep: number) => (await compacted(DAY_MS, keep, true)).map(({ job }) => job);
  expect(await jobs(1)).toEqual([first, third]);
  expect(await jobs(2)).toEqual([first]);
});

it("leaves a job alone that still has a worktree, or that a process has", async () => {
  const { store, ids, compacted } = await storeWith(completed, completed);
  const [withWorktree = "", owned = ""] = ids;
  await store.db.updateTable("jobs").set({ leaves: "worktree" }).where("id", "=", withWorktree).execute();
  await claimJob(store, owned, thisProcess(), new Date());
  expect(await compacted(DAY_MS, 0)).toEqual([]);
});
