import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { makeCheckpoint } from "../checkpoint.ts";
import { restoreUncommitted } from "./revive.ts";

const run = promisify(execFile);
const WHO = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];

/** With one commit, which holds no file. */
async function emptyRepository() {
  const root = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const git = (...args: string[]) => run("git", ["-C", root, ...WHO, ...args]);
  await git("init", "-q");
  await git("commit", "-q", "--allow-empty", "-m", "Begin");
  return { root, commonDir: join(root, ".git") };
}

it("brings back what was not committed in a repository without a file", async () => {
  const repo = await emptyRepository();
  await writeFile(join(repo.root, "new.txt"), "new");
  await makeCheckpoint(repo.root, "job-1", "cancelled");
  await rm(join(repo.root, "new.txt"));
  await restoreUncommitted(repo, "job-1", repo.root);
  expect(await readFile(join(repo.root, "new.txt"), "utf8")).toBe("new");
});

it("has nothing to bring back where there was no file either", async () => {
  const repo = await emptyRepository();
  await makeCheckpoint(repo.root, "job-1", "cancelled");
  await expect(restoreUncommitted(repo, "job-1", repo.root)).resolves.toBeUndefined();
});
