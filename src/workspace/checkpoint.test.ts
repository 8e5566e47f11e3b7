import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { listCheckpoints, makeCheckpoint, restoreCheckpoint } from "./checkpoint.ts";

const run = promisify(execFile);

async function createRepository() {
  const folder = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
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
    const { folder, write } = await createRepository();
    await write("a.txt", "1");
    await Promise.all([makeCheckpoint(folder, "job-1", "a"), makeCheckpoint(folder, "job-1", "b")]);
    await makeCheckpoint(folder, "job-2", "c");
    expect((await listCheckpoints(folder, "job-1")).map(({ number }) => number)).toEqual([1, 2]);
    expect(await listCheckpoints(folder, "job-2")).toMatchObject([{ number: 1, subject: "c" }]);
  });

  it("works while the agent holds the index lock, and in a repository without a commit", async () => {
    const { folder, write } = await createRepository();
    await write("a.txt", "1");
    await write(".git/index.lock", "");
    expect(await makeCheckpoint(folder, "job-1", "locked")).toMatchObject({ ref: "refs/baton/job-1/1" });
  });

  it("is none outside a repository", async () => {
    const folder = await mkdtemp(join(tmpdir(), "baton-test-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    expect(await makeCheckpoint(folder, "job-1", "x")).toBeUndefined();
  });
});
