import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { addJobWorktree, createRepository, git } from "../../test/job-worktree.ts";
import { openIfBare } from "./bare.ts";
import { registeredWorktrees } from "./registered-worktrees.ts";

it("lists each worktree with what is checked out, its lock, and whether its folder is there", async () => {
  const repository = await createRepository();
  const { repo, top } = repository;
  const { path, job, base } = await addJobWorktree(repository, "job-2026-01-01-abc123", "agent/x");
  const [odd, away] = [join(top, "worktree\nbranch refs/heads/fake"), join(top, "away")];
  await git(repo, "worktree", "add", "-q", "--detach", odd);
  await git(repo, "worktree", "lock", odd);
  await git(repo, "worktree", "add", "-q", "-b", "away", away);
  await rm(away, { recursive: true });
  const usual = { head: base, prunable: false, bare: false };
  const all = await registeredWorktrees(repo);
  expect(all[0]).toEqual({ ...usual, path: repo, branch: "main" });
  expect(all).toHaveLength(4);
  expect(all).toEqual(
    expect.arrayContaining([
      { ...usual, path, branch: "agent/x", locked: `baton job:${job} pid:1 start:2` },
      { ...usual, path: odd, locked: "" },
      { ...usual, path: away, branch: "away", prunable: true },
    ]),
  );
});

it("lists a bare repository, and a worktree without a commit", async () => {
  const { repo, remoteFolder, top } = await createRepository();
  await openIfBare(remoteFolder);
  expect(await registeredWorktrees(remoteFolder)).toEqual([
    { path: remoteFolder, prunable: false, bare: true },
  ]);
  const path = join(top, "unborn");
  await git(repo, "worktree", "add", "-q", "--detach", path);
  await git(path, "checkout", "-q", "--orphan", "unborn");
  expect(await registeredWorktrees(repo)).toContainEqual({
    path,
    branch: "unborn",
    prunable: false,
    bare: false,
  });
});
