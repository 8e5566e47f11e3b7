import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openIfBare } from "../git/bare.ts";
import {
  isOwnCheckpoint,
  keepCommit,
  listCheckpoints,
  makeCheckpoint,
  restoreCheckpoint,
} from "./checkpoint.ts";

const run = promisify(execFile);

async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function createRepository() {
  const folder = await temporaryFolder();
  const git = async (...args: string[]) => (await run("git", ["-C", folder, ...args])).stdout.trim();
  await git("init", "-q", "-b", "main");
  await git("config", "user.name", "Test");
  await git("config", "user.email", "test@example.invalid");
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  return { folder, git, write };
}

describe("a checkpoint", () => {
  it("holds committed, changed, staged, deleted and untracked files, and no ignored ones", async () => {
    const { folder, git, write } = await createRepository();
    await write("kept.txt", "kept");
    await write("changed.txt", "before");
    await write("deleted.txt", "x");
    await write(".gitignore", "secret.env\n");
    await git("add", "-A");
    await git("commit", "-qm", "Begin");
    await write("changed.txt", "after");
    await write("staged.txt", "staged");
    await git("add", "staged.txt");
    await write("new file ✓.txt", "new");
    await write("secret.env", "KEY=1");
    await rm(join(folder, "deleted.txt"));

    const made = await makeCheckpoint(folder, "job-1", "at a handoff");
    expect(made?.ref).toBe("refs/baton/job-1/1");
    const into = join(folder, ".restored");
    await mkdir(into);
    await restoreCheckpoint(folder, made?.commit ?? "", into);
    expect(await readFile(join(into, "changed.txt"), "utf8")).toBe("after");
    expect(await readFile(join(into, "staged.txt"), "utf8")).toBe("staged");
    expect(await readFile(join(into, "new file ✓.txt"), "utf8")).toBe("new");
    expect(await readFile(join(into, "kept.txt"), "utf8")).toBe("kept");
    await expect(readFile(join(into, "deleted.txt"))).rejects.toThrow("ENOENT");
    await expect(readFile(join(into, "secret.env"))).rejects.toThrow("ENOENT");
  });

  it("leaves the index, HEAD and the branch as they were", async () => {
    const { folder, git, write } = await createRepository();
    await write("a.txt", "1");
    await git("add", "-A");
    await git("commit", "-qm", "Begin");
    await write("a.txt", "2");
    await write("b.txt", "1");
    await git("add", "b.txt");
    const before = [await git("status", "--porcelain"), await git("rev-parse", "HEAD"), await git("branch")];
    await makeCheckpoint(folder, "job-1", "once");
    expect([await git("status", "--porcelain"), await git("rev-parse", "HEAD"), await git("branch")]).toEqual(
      before,
    );
  });

  it("is numbered within its job, also when two are made at once", async () => {
    const { folder, git, write } = await createRepository();
    await write("a.txt", "1");
    await git("add", "-A");
    await git("commit", "-qm", "Begin");
    const other = await temporaryFolder();
    await git("worktree", "add", "-q", "--detach", other);
    await write("b.txt", "2");
    await Promise.all([makeCheckpoint(folder, "job-1", "a"), makeCheckpoint(other, "job-1", "b")]);
    await makeCheckpoint(folder, "job-2", "c");
    expect((await listCheckpoints(folder, "job-1")).map(({ number }) => number)).toEqual([1, 2]);
    expect(await listCheckpoints(folder, "job-2")).toMatchObject([{ number: 1, subject: "c" }]);
  });

  it("is the last one again where nothing has changed since", async () => {
    const { folder, git, write } = await createRepository();
    await write("a.txt", "1");
    const first = await makeCheckpoint(folder, "job-1", "without a commit");
    expect(await makeCheckpoint(folder, "job-1", "again")).toMatchObject({ ...first });
    await git("add", "-A");
    await git("commit", "-qm", "Begin");
    const second = await makeCheckpoint(folder, "job-1", "the same files on a commit");
    expect(second?.ref).toBe("refs/baton/job-1/2");
    await write("b.txt", "1");
    const third = await makeCheckpoint(folder, "job-1", "more");
    await rm(join(folder, "b.txt"));
    const fourth = await makeCheckpoint(folder, "job-1", "as before");
    expect([third?.ref, fourth?.ref]).toEqual(["refs/baton/job-1/3", "refs/baton/job-1/4"]);
  });

  it("may be a commit as it is, told from one that holds uncommitted files", async () => {
    const { folder, git, write } = await createRepository();
    await write("a.txt", "1");
    await git("add", "-A");
    await git("commit", "-qm", "Begin\n\nBaton-Checkpoint is a word in this text.");
    const head = await git("rev-parse", "HEAD");
    const kept = await keepCommit(folder, "job-1", head);
    expect(kept).toMatchObject({ ref: "refs/baton/job-1/1", commit: head });
    expect(await keepCommit(folder, "job-1", head)).toMatchObject(kept);
    expect(await makeCheckpoint(folder, "job-1", "clean")).toMatchObject(kept);
    await write("b.txt", "1");
    const made = await makeCheckpoint(folder, "job-1", "not clean");
    expect(await isOwnCheckpoint(folder, head)).toBe(false);
    expect(await isOwnCheckpoint(folder, made?.commit ?? "")).toBe(true);
    const [, second] = await listCheckpoints(folder, "job-1");
    expect(second).toMatchObject({ subject: "not clean" });
  });

  it("has a change that was made in the second of the last commit, to the same size", async () => {
    const { folder, git, write } = await createRepository();
    await git("config", "core.trustctime", "false");
    await write("a.txt", "before");
    await git("add", "-A");
    await git("commit", "-qm", "Begin");
    const then = Math.floor(Date.now() / 1000) - 60;
    await utimes(join(folder, "a.txt"), then, then);
    await git("update-index", "--refresh");
    await utimes(join(folder, ".git/index"), then, then);
    await write("a.txt", "after!");
    await utimes(join(folder, "a.txt"), then, then);
    const made = await makeCheckpoint(folder, "job-1", "just now");
    expect(await git("show", `${made?.commit}:a.txt`)).toBe("after!");
  });

  it("says why where it cannot be kept", async () => {
    const { folder, write } = await createRepository();
    await write("a.txt", "1");
    await write(".git/refs/baton", "in the way");
    await expect(makeCheckpoint(folder, "job-1", "x")).rejects.toThrow(
      /git update-ref refs\/baton\/job-1\/1/,
    );
  });

  it("can be restored from a bare repository", async () => {
    const { folder, git, write } = await createRepository();
    await write("a.txt", "1");
    const made = await makeCheckpoint(folder, "job-1", "x");
    const bare = await temporaryFolder();
    await git("clone", "-q", "--mirror", folder, bare);
    const into = join(await temporaryFolder(), "not", "there");
    await openIfBare(bare);
    await restoreCheckpoint(bare, made?.commit ?? "", into);
    expect(await readdir(into)).toEqual(["a.txt"]);
  });

  it("works while the agent holds the index lock, and in a repository without a commit", async () => {
    const { folder, write } = await createRepository();
    await write("a.txt", "1");
    await write(".git/index.lock", "");
    expect(await makeCheckpoint(folder, "job-1", "locked")).toMatchObject({ ref: "refs/baton/job-1/1" });
  });

  it("is none outside a repository", async () => {
    const folder = await temporaryFolder();
    expect(await makeCheckpoint(folder, "job-1", "x")).toBeUndefined();
  });
});
