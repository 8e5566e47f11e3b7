import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  checkpointOf,
  commit,
  createJobWorktree,
  createRepository,
  expectKept,
  git,
  gone,
  isThere,
  type JobWorktree,
  leftOf,
  refIn,
  remove,
  whole,
  write,
} from "../../../test/job-worktree.ts";

describe("a worktree whose set-up was killed", () => {
  /** Git is killed while a filter of the repository holds it up in the middle of the files. */
  async function createHalfMade(): Promise<JobWorktree> {
    const repository = await createRepository({
      "a.txt": "a\n",
      "z.slow": "z\n",
      ".gitattributes": "*.slow filter=slow\n",
    });
    const { top, repo } = repository;
    const fifo = join(top, "reached");
    const job = "job-2026-01-01-abc123";
    await git(repo, "config", "filter.slow.smudge", `echo $PPID > '${fifo}'; sleep 60`);
    const [path, branch] = [join(top, "worktrees", job), `agent/${job}`];
    const base = await git(repo, "rev-parse", "origin/main");
    const adding = spawn("git", ["-C", repo, "worktree", "add", "--no-track", "-b", branch, path, base], {
      detached: true,
      stdio: "ignore",
    });
    const ended = once(adding, "exit");
    await expect.poll(() => readFile(fifo, "utf8").catch(() => "")).toMatch(/\d+\n/);
    process.kill(-(adding.pid ?? 0), "SIGKILL");
    await ended;
    await git(repo, "config", "--unset", "filter.slow.smudge");
    return { ...repository, path, branch, base, job, remote: "origin" };
  }

  it("is recognised, and goes with its branch", async () => {
    const worktree = await createHalfMade();
    expect(await isThere(join(worktree.path, "a.txt"))).toBe(true);
    await expectKept(worktree, /its lock says "initializing"/);
    expect(await remove({ ...worktree, neverReady: true })).toEqual({ removed: true, branchKept: false });
    expect(await leftOf(worktree)).toEqual(gone);
    expect(await checkpointOf(worktree)).toBe("");
  });

  it("is kept by those who take it for a whole one", async () => {
    const worktree = await createJobWorktree();
    const record = join(worktree.repo, ".git", "worktrees", worktree.job);
    await write(record, { "index.lock": "" });
    await expectKept(worktree, /only half checked out: a git command is at work there, or was killed/);
    await rm(join(record, "index.lock"));
    await rename(join(record, "index"), join(record, "index-away"));
    await expectKept(worktree, /only half checked out: git has no index for it/);
    await rename(join(record, "index-away"), join(record, "index"));
    await git(worktree.repo, "worktree", "unlock", worktree.path);
    await git(worktree.repo, "worktree", "lock", "--reason", "initializing", worktree.path);
    await expectKept(worktree, /its lock says "initializing"/);
  });

  /** In the opposite order of that in which git writes them. */
  const written = ["index", "commondir", "HEAD", ".git", "gitdir"];
  it.each(written.map((name, index) => [name, written.slice(0, index + 1)] as const))(
    "goes when git had not written %s yet",
    async (_, missing) => {
      const worktree = await createJobWorktree();
      const record = join(worktree.repo, ".git", "worktrees", worktree.job);
      for (const name of missing) await rm(join(name === ".git" ? worktree.path : record, name));
      if (missing.includes("gitdir")) await rm(worktree.path, { recursive: true });
      expect(await remove({ ...worktree, neverReady: true })).toEqual({ removed: true, branchKept: false });
      expect(await leftOf(worktree)).toEqual(gone);
    },
  );

  it("goes when only its branch had been made", async () => {
    const { repo, remoteFolder, top } = await createRepository();
    const base = await git(repo, "rev-parse", "HEAD");
    await git(repo, "branch", "made", base);
    const what = {
      repo,
      path: join(top, "worktrees", "x"),
      branch: "made",
      base,
      job: "x",
      neverReady: true,
    };
    expect(await remove(what)).toEqual({ removed: true, branchKept: false });
    expect(await refIn(repo, "refs/heads/made")).toBeUndefined();
    expect(await isThere(remoteFolder)).toBe(true);
  });

  it("leaves a branch that is not where it began", async () => {
    const worktree = await createJobWorktree();
    await commit(worktree.path, { "1.txt": "1" });
    await rm(join(worktree.repo, ".git", "worktrees", worktree.job, "index"));
    expect(await remove({ ...worktree, neverReady: true })).toMatchObject({
      removed: true,
      branchKept: true,
    });
  });

  it("has a checkpoint of what is in it all the same, once its files are all there", async () => {
    const worktree = await createJobWorktree();
    await write(worktree.path, { "made-by-setup.txt": "1" });
    expect(await remove({ ...worktree, neverReady: true })).toEqual({ removed: true, branchKept: false });
    expect(await git(worktree.repo, "show", `${await checkpointOf(worktree)}:made-by-setup.txt`)).toBe("1");
  });

  it("is left alone when another job has it", async () => {
    const worktree = await createJobWorktree();
    const other = { ...worktree, job: "job-2026-01-01-zzz999", neverReady: true };
    expect(await remove(other)).toMatchObject({
      removed: false,
      reason: expect.stringContaining("its lock says"),
    });
    expect(await leftOf(worktree)).toEqual(whole);
  });
});
