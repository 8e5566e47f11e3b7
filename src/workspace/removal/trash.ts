import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Beside the worktree, so that moving it there is one step on the same file system. */
export function trashFor(path: string, job: string): string {
  return join(dirname(path), ".trash", `${job}-${randomBytes(6).toString("hex")}`);
}

const OF_A_JOB = /^job-\d{4}-\d{2}-\d{2}-[0-9a-z]+-[0-9a-f]{12}$/;

/** Deletes in the background what earlier runs left in the trash of a folder of worktrees, and returns the names. */
export async function sweepTrash(folder: string): Promise<string[]> {
  const trash = join(folder, ".trash");
  const left = (await readdir(trash).catch(() => [])).filter((name) => OF_A_JOB.test(name));
  deleteInBackground(left.map((name) => join(trash, name)));
  return left;
}

/**
 * Goes on when this process ends. A folder that its owner may not write to, as in a cache of Go modules, keeps rm
 * out; files may be links into a store of packages, so their modes are left alone.
 */
const DELETE = 'rm -rf -- "$@" || { find "$@" -type d -exec chmod u+rwx {} + ; rm -rf -- "$@"; }';

export function deleteInBackground(paths: string[]): void {
  if (paths.length === 0) return;
  const child = spawn("/bin/sh", ["-c", DELETE, "sh", ...paths], { detached: true, stdio: "ignore" });
  // What could not be deleted now is swept up later.
  child.on("error", () => {}).unref();
}
