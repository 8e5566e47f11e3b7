import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { appendFile, copyFile, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run("git", args, { cwd: folder });
  return stdout.trim();
}

/** Where people put files of their own, as a repository of git's usual template has them. */
const PLACES = ["hooks", "info"];

/** Made once and copied: to start git takes longer than all that it does here. It goes with the folder of all tests. */
let template: Promise<string> | undefined;

async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-template-"));
  await git(folder, "init", "-q", "-b", "main", "--template=");
  await git(folder, "config", "user.name", "Test");
  await git(folder, "config", "user.email", "test@example.invalid");
  await git(folder, "config", "maintenance.auto", "false");
  for (const place of PLACES) await mkdir(join(folder, ".git", place));
  await writeFile(join(folder, ".git", "info", "exclude"), "");
  await writeFile(join(folder, "baton.yaml"), "");
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "Begin");
  return join(folder, ".git");
}

/** Makes the folder a repository with one commit, of its baton.yaml. */
export async function beginRepository(folder: string): Promise<void> {
  template ??= makeTemplate();
  // At once, because its promise takes twenty times as long.
  cpSync(await template, join(folder, ".git"), { recursive: true });
  await git(folder, "commit", "-q", "--all", "--amend", "-m", "Begin");
}

/** Gives the repository a bare `origin` that has all of its main. */
export async function addOrigin(folder: string, remote: string): Promise<void> {
  await git(folder, "clone", "-q", "--bare", "--template=", folder, remote);
  await git(remote, "remote", "remove", "origin");
  const lines = [`[remote "origin"]`, `\turl = ${remote}`, "\tfetch = +refs/heads/*:refs/remotes/origin/*"];
  await appendFile(join(folder, ".git", "config"), `${lines.join("\n")}\n`);
  for (const place of PLACES) await mkdir(join(remote, place));
  const tracked = join(folder, ".git", "refs", "remotes", "origin");
  await mkdir(tracked, { recursive: true });
  await copyFile(join(folder, ".git", "refs", "heads", "main"), join(tracked, "main"));
}
