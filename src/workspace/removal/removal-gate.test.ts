import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  checkpointOf,
  commit,
  createJobWorktree,
  createRepository,
  createSubmodule,
  expectKept,
  git,
  isThere,
  leftOf,
  noSteps,
  remove,
  whole,
  write,
} from "../../../test/job-worktree.ts";
import { removeWorktree } from "./remove.ts";

describe("nothing is touched", () => {
  it("when the worktree was made with plain git", async () => {
    const worktree = await createJobWorktree();
    await git(worktree.repo, "worktree", "unlock", worktree.path);
    await expectKept(worktree, /not a worktree that Baton made for job-2026-01-01-abc123: it has no lock/);
  });

  it("when somebody else, or another job, has locked it", async () => {
    const worktree = await createJobWorktree();
    for (const reason of [
      "on a stick",
      "baton job:job-2026-01-01-abc1234 pid:1",
      "baton job:other job:job-2026-01-01-abc123",
    ]) {
      await git(worktree.repo, "worktree", "unlock", worktree.path);
      await git(worktree.repo, "worktree", "lock", "--reason", reason, worktree.path);
      await expectKept(worktree, /its lock says/);
    }
  });

  it("when git knows nothing of the folder", async () => {
    const worktree = await createJobWorktree();
    const path = join(worktree.top, "worktrees", "by-hand");
    await write(path, { "a.txt": "a" });
    expect(await remove({ ...worktree, path })).toMatchObject({
      removed: false,
      reason: expect.stringContaining("git does not list it as a worktree of"),
    });
    expect(await readFile(join(path, "a.txt"), "utf8")).toBe("a");
  });

  it("when it is the main checkout", async () => {
    const worktree = await createJobWorktree();
    expect(await remove({ ...worktree, path: worktree.repo })).toMatchObject({ removed: false });
    expect(await isThere(join(worktree.repo, ".git"))).toBe(true);
  });

  it("when the folder belongs to another repository by now", async () => {
    const worktree = await createJobWorktree();
    const { repo } = await createRepository();
    await rm(worktree.path, { recursive: true });
    await git(repo, "worktree", "add", "-q", "-b", "w", worktree.path);
    await expectKept(worktree, /its \.git does not point to/);
  });

  it("when a repository, a plain folder or a link has taken its place", async () => {
    const worktree = await createJobWorktree();
    await rename(worktree.path, `${worktree.path}-moved`);
    await git(worktree.top, "init", "-q", worktree.path);
    await expectKept(worktree, /its \.git does not point to/);
    await rm(worktree.path, { recursive: true });
    await write(worktree.path, { "a.txt": "a" });
    await expectKept(worktree, /its \.git does not point to/);
    await rm(worktree.path, { recursive: true });
    await symlink(`${worktree.path}-moved`, worktree.path);
    await expectKept(worktree, /it is not a folder/);
  });

  it("when the whole folder of worktrees is away, as on a disk that is not mounted", async () => {
    const worktree = await createJobWorktree();
    const away = join(worktree.top, "away");
    await rename(join(worktree.top, "worktrees"), away);
    expect(await remove(worktree)).toMatchObject({
      reason: expect.stringContaining("is not there. Bring it back"),
    });
    await rename(away, join(worktree.top, "worktrees"));
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("while a process works in it, and goes on when that has ended", async () => {
    const worktree = await createJobWorktree();
    const shell = spawn("sh", ["-c", "echo there; read _"], { cwd: join(worktree.path, "b") });
    onTestFinished(() => void shell.kill("SIGKILL"));
    await once(shell.stdout, "data");
    await expectKept(worktree, new RegExp(`is in use by sh \\(process ${shell.pid}\\)`));
    expect(await checkpointOf(worktree)).toBe("");
    const ended = once(shell, "exit");
    const endProcesses = async () => {
      shell.kill("SIGKILL");
      await ended;
    };
    expect(await remove(worktree, { endProcesses })).toMatchObject({ removed: true });
  });

  it("in the middle of a rebase", async () => {
    const worktree = await createJobWorktree();
    const { path } = worktree;
    await commit(path, { "a.txt": "mine\n" });
    await git(path, "checkout", "-q", "-b", "theirs", "HEAD^");
    await commit(path, { "a.txt": "theirs\n" });
    await write(path, { "b/c.txt": "put aside by git\n" });
    await expect(git(path, "rebase", "--autostash", worktree.branch)).rejects.toThrow();
    await expectKept(worktree, /is in the middle of a rebase\. Finish or abort it there/);
  });

  it("when git was told to overlook changes", async () => {
    const worktree = await createJobWorktree();
    await git(worktree.path, "update-index", "--assume-unchanged", "a.txt");
    await git(worktree.path, "update-index", "--skip-worktree", "b/c.txt");
    await write(worktree.path, { "a.txt": "other\n", "b/c.txt": "other\n" });
    await expectKept(worktree, /told to overlook changes in .*: a\.txt, b\/c\.txt\./);
    await write(worktree.path, { "a.txt": "a\n", "b/c.txt": "c\n" });
    expect(await remove(worktree)).toMatchObject({ removed: true });
  });

  it("when a repository in it has work of its own", async () => {
    const worktree = await createJobWorktree();
    const library = await createSubmodule(worktree);
    await commit(library, { "lib.c": "int y;\n" });
    await commit(worktree.path, {});
    await expectKept(worktree, /vendor\/lib has a commit on none of its remotes\. Push it, or delete it/);
    await git(library, "push", "-q", "origin", "HEAD:refs/heads/y");
    expect(await remove(worktree)).toMatchObject({ removed: true });
  });

  it("when a submodule of a folder that somebody has deleted has work of its own", async () => {
    const worktree = await createJobWorktree();
    await commit(await createSubmodule(worktree), { "lib.c": "int y;\n" });
    await rm(worktree.path, { recursive: true });
    expect(await remove(worktree)).toMatchObject({
      removed: false,
      reason: expect.stringMatching(/modules\/vendor\/lib has a commit on none of its remotes/),
    });
    expect(await leftOf(worktree)).toEqual({ ...whole, folder: false });
  });

  it("when no checkpoint can be made", async () => {
    const worktree = await createJobWorktree();
    await write(worktree.repo, { ".git/refs/baton": "in the way" });
    await expectKept(worktree, /could not be inspected\. git update-ref/);
    await write(worktree.path, { "new.txt": "new" });
    await expectKept(worktree, /could not be inspected\. git update-ref/);
  });

  it("when its index cannot be read", async () => {
    const worktree = await createJobWorktree();
    await write(join(worktree.repo, ".git", "worktrees", worktree.job), { index: "broken" });
    await expectKept(worktree, /could not be inspected\. git .*index file smaller than expected/);
  });

  it("when the checkpoint is lost before the folder is moved", async () => {
    const worktree = await createJobWorktree();
    const result = await remove(worktree, {
      removing: async () =>
        void (await git(worktree.repo, "update-ref", "-d", `refs/baton/${worktree.job}/1`)),
    });
    expect(result).toMatchObject({
      removed: false,
      reason: expect.stringContaining("its checkpoint refs/baton/"),
    });
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("when something else is checked out before the folder is moved", async () => {
    const worktree = await createJobWorktree();
    const result = await remove(worktree, {
      removing: async () => void (await commit(worktree.path, { "late.txt": "late" })),
    });
    expect(result).toMatchObject({
      removed: false,
      reason: expect.stringContaining("while it was being inspected"),
    });
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("when it cannot be moved to the trash", async () => {
    const worktree = await createJobWorktree();
    await write(join(worktree.top, "worktrees"), { ".trash": "in the way" });
    await expectKept(worktree, /could not be moved to .* \(EEXIST|ENOTDIR\)/);
  });

  it("when the intent cannot be recorded", async () => {
    const worktree = await createJobWorktree();
    const removing = async () => {
      throw new Error("the store is full");
    };
    await expect(remove(worktree, { removing })).rejects.toThrow("the store is full");
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("when the job was given up while it waited for the repository", async () => {
    const worktree = await createJobWorktree();
    const given = new AbortController();
    const removing = async () => given.abort(new Error("somebody else has it"));
    await expect(
      removeWorktree(worktree, { ...noSteps, removing }, { signal: given.signal }),
    ).rejects.toThrow("somebody else has it");
    expect(await leftOf(worktree)).toEqual(whole);
  });
});
