import { execFile } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { access, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, onTestFinished } from "vitest";
import { listCheckpoints } from "../src/workspace/checkpoint.ts";
import {
  type Removal,
  type RemovalResult,
  type RemovalSteps,
  removeWorktree,
} from "../src/workspace/removal/remove.ts";

const run = promisify(execFile);

/** Submodules of tests are folders. */
const SETTINGS = ["protocol.file.allow=always", "user.name=Test", "user.email=test@example.invalid"];

export async function git(folder: string, ...args: string[]): Promise<string> {
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  return (await run("git", ["-C", folder, ...settings, ...args])).stdout.trim();
}

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "baton-test-")));
  // What is deleted in the background may be on its way.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

export async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

export async function commit(folder: string, files: Record<string, string>): Promise<string> {
  await write(folder, files);
  await git(folder, "add", "--all");
  await git(
    folder,
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    `Write ${Object.keys(files).join(" ") || "nothing"}`,
  );
  return git(folder, "rev-parse", "HEAD");
}

/** A bare repository with one commit on `main`. */
export async function createRemote(top: string, name: string, files: Record<string, string>) {
  const [source, remote] = [join(top, `${name}-source`), join(top, `${name}.git`)];
  await run("git", ["init", "-q", "-b", "main", source]);
  await commit(source, files);
  await run("git", ["clone", "-q", "--bare", source, remote]);
  await rm(source, { recursive: true });
  return remote;
}

export interface JobWorktree extends Removal {
  top: string;
  remoteFolder: string;
  branch: string;
  base: string;
  remote: string;
}

const FILES = { "a.txt": "a\n", "b/c.txt": "c\n" };
let plain: Promise<string> | undefined;
afterAll(async () => {
  const made = plain;
  plain = undefined;
  if (made) await rm(await made, { recursive: true, force: true });
});

/** A checkout, and its remote. The usual one is made once and copied: git takes much longer. */
export async function createRepository(files: Record<string, string> = FILES) {
  const top = await temporaryFolder();
  if (files === FILES) {
    plain ??= mkdtemp(join(tmpdir(), "baton-test-")).then((folder) => makeRepository(folder, files));
    cpSync(await plain, top, { recursive: true });
  } else await makeRepository(top, files);
  const [repo, remoteFolder] = [join(top, "repo"), join(top, "remote.git")];
  await git(repo, "config", "remote.origin.url", remoteFolder);
  return { top, repo, remoteFolder };
}

async function makeRepository(top: string, files: Record<string, string>): Promise<string> {
  const remote = await createRemote(top, "remote", files);
  await run("git", ["clone", "-q", remote, join(top, "repo")]);
  return top;
}

/** A worktree as Baton makes it for a job, with a remote. */
export async function createJobWorktree(): Promise<JobWorktree> {
  return addJobWorktree(await createRepository(), "job-2026-01-01-abc123");
}

export async function addJobWorktree(
  { top, repo, remoteFolder }: { top: string; repo: string; remoteFolder: string },
  job: string,
  branch = `agent/${job}`,
  folder = join(top, "worktrees"),
): Promise<JobWorktree> {
  const path = join(folder, job);
  const base = await git(repo, "rev-parse", "origin/main");
  const locked = ["--lock", "--reason", `baton job:${job} pid:1 start:2`];
  await git(repo, "worktree", "add", "-q", "--no-track", ...locked, "-b", branch, path, base);
  return { top, repo, remoteFolder, path, job, branch, base, remote: "origin" };
}

export async function createSubmodule(worktree: JobWorktree, path = "vendor/lib") {
  const source = await createRemote(worktree.top, "library", { "lib.c": "int x;\n" });
  await git(worktree.path, "submodule", "add", "-q", source, path);
  await commit(worktree.path, {});
  await git(worktree.path, "push", "-q", "origin", "HEAD");
  return join(worktree.path, path);
}

export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Undefined where the ref is not there. */
export function refIn(folder: string, ref: string): Promise<string | undefined> {
  return git(folder, "rev-parse", "--verify", "--quiet", ref).catch(() => undefined);
}

/** What is left of a worktree, for a look at all of it at once. */
export async function leftOf({ repo, path, branch, job }: JobWorktree) {
  const listed = await git(repo, "worktree", "list", "--porcelain", "-z");
  const records: string[] = await readdir(join(repo, ".git", "worktrees")).catch(() => []);
  return {
    folder: await isThere(path),
    registered: listed.includes(`worktree ${path}\0`) || records.includes(job),
    branch: (await refIn(repo, `refs/heads/${branch}`)) !== undefined,
  };
}

/** What was in the trash is deleted by a process that nobody waits for. */
export async function trashOf({ path }: { path: string }): Promise<string[]> {
  return readdir(join(dirname(path), ".trash")).catch(() => []);
}

export const noSteps: RemovalSteps = {
  removing: async () => {},
  endProcesses: async () => {},
  leaveIgnored: async () => [],
  checkpointed: () => {},
};

export const whole = { folder: true, registered: true, branch: true };
export const gone = { folder: false, registered: false, branch: false };

export function remove(what: Removal, steps: Partial<RemovalSteps> = {}): Promise<RemovalResult> {
  const { signal } = new AbortController();
  return removeWorktree(what, { ...noSteps, ...steps }, { signal });
}

/** It stays as it is, and `reason` says why. */
export async function expectKept(worktree: JobWorktree, reason: RegExp): Promise<void> {
  expect(await remove(worktree)).toEqual({ removed: false, reason: expect.stringMatching(reason) });
  expect(await leftOf(worktree)).toEqual(whole);
}

/** The commit of the newest checkpoint; empty where there is none. */
export async function checkpointOf({ repo, job }: JobWorktree): Promise<string> {
  return (await listCheckpoints(repo, job)).at(-1)?.commit ?? "";
}
