import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { commit, git, write } from "../../../test/job-worktree.ts";
import { worktreeRepository } from "../../../test/worktree-repository.ts";
import { findJob } from "../../store/jobs.ts";
import { openStore } from "../../store/store.ts";
import { listCheckpoints, makeCheckpoint } from "../../workspace/checkpoint.ts";
import { removeOldCheckpoints } from "./old-checkpoints.ts";

const DAY = 24 * 60 * 60_000;

/** A job that has completed and pushed its work, with a checkpoint of each of these states of its worktree. */
async function pushedJob(...states: Record<string, string>[]) {
  const { repo, remoteFolder, jobOn } = await worktreeRepository();
  const job = await jobOn("ONE");
  for (const state of states) {
    await write(job.workspace.path, state);
    await makeCheckpoint(job.workspace.path, job.id, "at work");
  }
  const { workspace } = await job.end("completed");
  const store = await openStore(join(repo, ".baton", "baton.db"));
  onTestFinished(() => store.close());
  const removeOld = async (days = 31, dryRun = false) => {
    const { signal } = new AbortController();
    const now = () => new Date(Date.now() + days * DAY);
    const removed = await removeOldCheckpoints(store, { maxAgeMs: 30 * DAY, dryRun, now, signal });
    return removed.map(({ job: id, refs }) => [id, refs.length]);
  };
  const left = async () => (await listCheckpoints(repo, job.id)).map(({ number }) => number);
  const branch = workspace?.branch ?? "";
  return { id: job.id, repo, remoteFolder, branch, store, removeOld, left };
}

describe("checkpoints of a job whose work was pushed", () => {
  it("go after a while, once the remote has every file in them, and the journal says so", async () => {
    const { id, store, removeOld, left } = await pushedJob({ "more.txt": "more\n" });
    expect(await removeOld(29)).toEqual([]);
    expect(await removeOld(31, true)).toEqual([[id, 2]]);
    expect(await left()).toEqual([1, 2]);
    expect(await removeOld()).toEqual([[id, 2]]);
    expect(await left()).toEqual([]);
    expect((await findJob(store, id)).checkpoint).toBe(null);
    expect(await removeOld()).toEqual([]);
  });

  it("stay for ever where they hold a file that went nowhere, each for itself", async () => {
    const { id, removeOld, left } = await pushedJob({ "more.txt": "a draft\n" }, { "more.txt": "more\n" });
    expect(await removeOld(1000)).toEqual([[id, 2]]);
    expect(await left()).toEqual([1]);
  });

  it("stay where the remote has the branch no more, until its work is in the base branch, squashed or not", async () => {
    const { id, repo, branch, removeOld, left } = await pushedJob();
    const tip = await git(repo, "rev-parse", `refs/baton/${id}/1`);
    await git(repo, "push", "-q", "origin", `:${branch}`);
    expect(await removeOld()).toEqual([]);
    await git(repo, "merge", "-q", "--squash", tip);
    await commit(repo, {});
    await git(repo, "push", "-q", "origin", "HEAD:main");
    expect(await removeOld()).toEqual([[id, 1]]);
    expect(await left()).toEqual([]);
  });

  it("stay where the branch was pushed over, and where the remote cannot be reached", async () => {
    const { repo, remoteFolder, branch, removeOld, left } = await pushedJob();
    await git(repo, "push", "-q", "--force", "origin", `origin/main:refs/heads/${branch}`);
    expect(await removeOld()).toEqual([]);
    await rm(remoteFolder, { recursive: true });
    expect(await removeOld()).toEqual([]);
    expect(await left()).toEqual([1]);
  });
});
