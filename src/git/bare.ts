import { lstat, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { openBare } from "./git.ts";

/**
 * For a folder that the user's configuration, or this machine's own store, names as a repository: where it is a bare one
 * it is opened as that. Git itself looks for none, because a checkout may hold one as plain files.
 */
export async function openIfBare(folder: string): Promise<void> {
  const real = await realpath(folder).catch(() => folder);
  if (!(await isBareRepository(real))) return;
  openBare(folder);
  openBare(real);
}

/** By what lies in it. Git is not asked: it would have to open it. */
async function isBareRepository(folder: string): Promise<boolean> {
  if (basename(folder) === ".git") return false;
  const names = ["HEAD", "objects", "refs", ".git"];
  const found = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => undefined)));
  const [head, objects, refs, dotGit] = found;
  return Boolean(head?.isFile() && objects?.isDirectory() && refs?.isDirectory() && !dotGit);
}
