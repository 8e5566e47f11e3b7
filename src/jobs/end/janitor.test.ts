import { readdir, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  commit,
  createRepository,
  git,
  isThere,
  refIn,
  temporaryFolder,
  write,
} from "../../../test/job-worktree.ts";
import { type Changes, configIn, PROMPT, typesOf } from "../../../test/played-job.ts";
import { worktreeRepository } from "../../../test/worktree-repository.ts";
import { recordWorktreeFolder } from "../../files/made-here.ts";
import type { JobEvent } from "../../job/events.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { readEvents } from "../../store/events.ts";
import { findJob } from "../../store/jobs.ts";
import { openStore, type Store } from "../../store/store.ts";
import { Journal } from "../journal.ts";
import { newJob } from "../new-job.ts";
import { cancelJob, type JanitorOptions, ledgerOf, tidyWorktrees } from "./janitor.ts";

const DAY = 24 * 60 * 60_000;
const now = () => new Date();
const completed: JobEvent = { type: "job:completed", result: "Done" };
const paused: JobEvent = { type: "job:paused", code: "limit_reached", message: "Enough for now." };
const closing: JobEvent = { type: "job:closing", outcome: "completed", text: "Done" };

async function aStore(folder: string): Promise<Store> {
  const store = await openStore(join(folder, ".baton", "baton.db"));
  onTestFinished(() => store.close());
  return store;
}

/** Jobs in real worktrees. */
async function worktrees() {
  const { repo, remoteFolder, jobOn } = await worktreeRepository();
  const store = await aStore(repo);
  /** A job that nobody runs, after these events. */
  const resting = async (workItem: string, ...events: JobEvent[]) => {
    const job = await jobOn(workItem);
    await job.pause();
    await lived(store, job.id, ...events);
    return { id: job.id, path: job.workspace.path };
  };
  return { repo, remoteFolder, store, resting, onRecord: recorder(store, repo) };
}

/** Jobs with worktrees by their own word: in their places are plain folders, which nobody may take for theirs. */
async function records(changes: Changes = {}) {
  const { repo } = await createRepository();
  const store = await aStore(repo);
  const forget = async (id: string) => {
    const { agentConfig: _, ...rest } = await findJob(store, id);
    const snapshot = JSON.stringify({ ...rest, agentConfig: null });
    await store.db.updateTable("jobs").set({ snapshot }).where("id", "=", id).execute();
  };
  return { store, onRecord: recorder(store, repo, changes), forget };
}

function recorder(store: Store, repo: string, { workspace = {} }: Changes = {}) {
  const config = configIn(repo, { workspace: { strategy: "git_worktree", ...workspace } });
  return async (...events: JobEvent[]) => {
    const id = await newJob(store, {}, config, PROMPT);
    const path = join(repo, ".worktrees", id);
    await write(path, { "mine.txt": "mine\n" });
    await recordWorktreeFolder(join(repo, ".worktrees"));
    const branch = `agent/${id}`;
    const planned = { repo, path, branch, base: "b", baseBranch: "main", takenUp: false };
    const creating: JobEvent = { type: "workspace:creating", ...planned };
    const ready: JobEvent = { type: "workspace:ready", strategy: "git_worktree", path, branch, base: "b" };
    await lived(store, id, { type: "job:started", pid: 1, marker: "m" }, creating, ready, ...events);
    return { id, path, creating };
  };
}

async function lived(store: Store, id: string, ...events: JobEvent[]): Promise<void> {
  await using journal = new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  for (const event of events) journal.append(event);
}

async function claimed(store: Store, id: string): Promise<Journal> {
  const journal = new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  onTestFinished(() => journal.close());
  return journal;
}

const maintenance = {
  enabled: true,
  intervalMs: DAY,
  maxWorktreeAgeMs: 7 * DAY,
  maxCheckpointAgeMs: 30 * DAY,
  cleanupOnStartup: true,
  pruneUnmergedBranches: false,
};

/** What the janitor found of each job, and what came of it. */
async function tidied(store: Store, options: Partial<JanitorOptions> = {}) {
  const { signal } = new AbortController();
  const findings = await tidyWorktrees(store, { maintenance, dryRun: false, now, signal, ...options });
  return findings.map(({ job, leftover, done }) => ({ job: job.id, action: leftover.action, done }));
}

describe("the janitor", () => {
  it("removes what a job that is over left, with a checkpoint of it, and leaves what can still be picked up", async () => {
    const { store, repo, resting, onRecord } = await worktrees();
    const over = await resting("ONE", { type: "job:cancelled", message: "Enough." });
    const rests = await onRecord(paused);
    expect(await tidied(store, { dryRun: true })).toEqual([
      { job: over.id, action: "remove", done: undefined },
      { job: rests.id, action: "keep", done: undefined },
    ]);
    expect(await isThere(over.path)).toBe(true);

    expect(await tidied(store)).toMatchObject([
      { job: over.id, action: "remove", done: { ok: true } },
      { job: rests.id, action: "keep" },
    ]);
    expect(await isThere(over.path)).toBe(false);
    expect(await isThere(rests.path)).toBe(true);
    const { checkpoint, workspace, status } = await findJob(store, over.id);
    expect(status).toBe("cancelled");
    expect(workspace?.state).toBe("removed");
    expect(await git(repo, "show", `${checkpoint}:work.txt`)).toBe("done");
  });

  it("finishes a closing that was cut off: the work is published, and the job has completed", async () => {
    const { store, resting, remoteFolder } = await worktrees();
    const { id, path } = await resting("ONE", closing, { type: "job:interrupted", message: "killed" });
    expect(await tidied(store)).toEqual([
      { job: id, action: "finish", done: { ok: true, said: "its job is completed" } },
    ]);
    const job = await findJob(store, id);
    expect(job).toMatchObject({ status: "completed", result: "Done", workspace: { state: "removed" } });
    expect(await git(remoteFolder, "show", `${job.workspace?.branch}:work.txt`)).toBe("done");
    expect(await isThere(path)).toBe(false);
  });

  it("finishes a removal that was cut off", async () => {
    const { store, resting } = await worktrees();
    const { id, path } = await resting("ONE", completed);
    await lived(store, id, {
      type: "workspace:removing",
      trash: join(path, "..", ".trash", `${id}-0123456789ab`),
    });
    expect(await tidied(store)).toMatchObject([{ job: id, action: "go-on-removing", done: { ok: true } }]);
    expect(await isThere(path)).toBe(false);
    expect((await findJob(store, id)).workspace?.state).toBe("removed");
  });

  it("deregisters a worktree whose folder somebody deleted, and keeps its last commit", async () => {
    const { store, resting, repo } = await worktrees();
    const { id, path } = await resting("ONE");
    const tip = await commit(path, { "more.txt": "more\n" });
    await rm(path, { recursive: true });
    expect(await tidied(store)).toMatchObject([{ job: id, action: "remove", done: { ok: true } }]);
    expect(await git(repo, "worktree", "list", "--porcelain")).not.toContain(path);
    expect(await findJob(store, id)).toMatchObject({ status: "paused", workspace: { state: "removed" } });
    expect(await refIn(repo, `refs/baton/${id}/1`)).toBe(tip);
  });

  it("has git forget what is long gone and nobody locked, and nothing that was used lately", async () => {
    const { store, resting, repo } = await worktrees();
    await resting("ONE");
    const folders = ["old", "new"].map((name) => join(repo, "..", name));
    for (const folder of folders) {
      await git(repo, "worktree", "add", "-q", "--detach", folder);
      await rm(folder, { recursive: true });
    }
    const halfAYearAgo = new Date(Date.now() - 180 * DAY);
    await utimes(join(repo, ".git", "worktrees", "old", "index"), halfAYearAgo, halfAYearAgo);
    await tidied(store);
    expect((await readdir(join(repo, ".git", "worktrees"))).filter((name) => !/^job-/.test(name))).toEqual([
      "new",
    ]);
  });

  it("says why where something may not go, records that, and tries again the next time", async () => {
    const { store, onRecord } = await records();
    const { id, path } = await onRecord(completed);
    const why = { ok: false, said: expect.stringMatching(/git does not list it as a worktree/) };
    expect(await tidied(store)).toEqual([{ job: id, action: "remove", done: why }]);
    expect((await findJob(store, id)).workspace).toMatchObject({ state: "kept", reason: why.said });
    expect(await tidied(store)).toEqual([{ job: id, action: "remove", done: why }]);
    expect(await isThere(path)).toBe(true);
  });

  it("leaves a job at work alone, and marks one whose process died as interrupted", async () => {
    const { store, onRecord } = await records();
    const running = await onRecord();
    await claimed(store, running.id);
    const died = await onRecord();
    await claimJob(store, died.id, { ...thisProcess(), boot: "an earlier boot" }, now());
    expect(await tidied(store)).toMatchObject([
      { job: running.id, action: "keep" },
      { job: died.id, action: "keep" },
    ]);
    expect((await findJob(store, died.id)).status).toBe("interrupted");
    expect((await findJob(store, running.id)).status).toBe("running");
  });

  it("is not held up by one job of which too little is known, and begins nothing once it is told to stop", async () => {
    const { store, onRecord, forget } = await records();
    const unknown = await onRecord(completed);
    const half = await onRecord();
    await forget(unknown.id);
    await rm(half.path, { recursive: true });
    await lived(store, half.id, half.creating);
    expect(await tidied(store, { signal: AbortSignal.abort() })).toEqual([]);
    expect(await tidied(store)).toEqual([
      {
        job: unknown.id,
        action: "remove",
        done: { ok: false, said: `The configuration of ${unknown.id} is not on record.` },
      },
      { job: half.id, action: "discard", done: { ok: true, said: expect.any(String) } },
    ]);
    expect((await findJob(store, half.id)).workspace?.state).toBe("removed");
  });
});

describe("a worktree that another job wants", () => {
  it("goes where its job is over, and its branch when the work on it is merged", async () => {
    const { store, resting, repo } = await worktrees();
    const { id, path } = await resting("ONE", completed);
    const tip = await commit(path, { "more.txt": "more\n" });
    expect(await ledgerOf(store).clear(id)).toBeUndefined();
    expect(await isThere(path)).toBe(false);

    const ref = `refs/heads/${(await findJob(store, id)).workspace?.branch}`;
    expect(await tidied(store)).toMatchObject([
      { action: "look-at-branch", done: { said: expect.stringMatching(/holds work that is not in main/) } },
    ]);
    expect(await refIn(repo, ref)).toBe(tip);
    await git(repo, "push", "-q", "origin", `${tip}:main`);
    await tidied(store);
    expect(await refIn(repo, ref)).toBeUndefined();
    expect(await tidied(store)).toEqual([]);
  });

  it("stays where it may not go, and the other job hears why", async () => {
    const { store, onRecord } = await records();
    const { id, path } = await onRecord(completed);
    expect(await ledgerOf(store).clear(id)).toMatch(/git does not list it as a worktree/);
    expect(await isThere(path)).toBe(true);
  });

  it("is left to a process that has just picked its job up again", async () => {
    const { store, onRecord } = await records();
    const { id, path } = await onRecord(completed);
    await claimed(store, id);
    expect(await ledgerOf(store).clear(id)).toBeUndefined();
    expect((await findJob(store, id)).workspace?.state).toBe("ready");
    expect(await isThere(path)).toBe(true);
  });

  it("is passed on as it is, and its old job has it no more", async () => {
    const { store, onRecord } = await records();
    const { id, path } = await onRecord(completed);
    await ledgerOf(store).passOn(id, "job-2026-01-02-bbbbbb");
    expect((await findJob(store, id)).workspace).toMatchObject({
      state: "removed",
      branchKept: false,
      reason: "it is job-2026-01-02-bbbbbb's now",
    });
    expect(await isThere(path)).toBe(true);
    expect(await tidied(store)).toEqual([]);
  });
});

describe("a job that nobody runs and somebody cancels", () => {
  it("is closed as its own process would have: its work is kept, its worktree goes, then it is cancelled", async () => {
    const { store, resting, repo } = await worktrees();
    const { id, path } = await resting("ONE");
    const { seq } = await findJob(store, id);
    const journal = await claimed(store, id);
    await cancelJob(journal, "by the user");
    expect(typesOf(await readEvents(store, id, seq))).toEqual([
      "job:closing",
      "checkpoint",
      "workspace:removing",
      "workspace:removed",
      "job:cancelled",
    ]);
    expect(await isThere(path)).toBe(false);
    expect(await git(repo, "show", `${journal.job.checkpoint}:work.txt`)).toBe("done");
  });

  it.each([
    ["cleanup_on_failure is off", { workspace: { cleanupOnFailure: false } }, /cleanup_on_failure is off/],
    ["it may not go", {}, /git does not list it as a worktree/],
  ])("keeps its worktree where %s, and is cancelled all the same", async (_, config, reason) => {
    const { store, onRecord } = await records(config);
    const { id, path } = await onRecord(paused);
    const journal = await claimed(store, id);
    await cancelJob(journal, "by the user");
    expect(journal.job).toMatchObject({
      status: "cancelled",
      workspace: { state: "kept", reason: expect.stringMatching(reason) },
    });
    expect(await isThere(path)).toBe(true);
  });

  it("is only cancelled where it has no worktree", async () => {
    const folder = await temporaryFolder();
    const store = await aStore(folder);
    const id = await newJob(store, {}, configIn(folder), PROMPT);
    const journal = await claimed(store, id);
    await cancelJob(journal, "by the user");
    expect(await readEvents(store, id, 1)).toMatchObject([{ type: "job:cancelled", message: "by the user" }]);
  });
});
