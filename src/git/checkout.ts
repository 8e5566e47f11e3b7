import { lstat, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { gitFolderOf } from "./folder.ts";

/**
 * The top of the work tree that a folder is in, and the main work tree of its repository or the folder of a bare one, which
 * is the same for all its worktrees. By what is on disk alone: no git is started. Undefined in no work tree.
 */
export async function checkoutOf(folder: string): Promise<{ top: string; main: string } | undefined> {
  for (let top = await realpath(folder); ; top = dirname(top)) {
    if (await lstat(join(top, ".git")).catch(() => undefined)) {
      return { top, main: (await mainOf(top).catch(() => undefined)) ?? top };
    }
    if (top === dirname(top)) return undefined;
  }
}

/**
 * Only where the repository knows the worktree too: a folder that just names the repository of somebody else must not pass
 * for a part of it.
 */
async function mainOf(top: string): Promise<string | undefined> {
  if (!(await lstat(join(top, ".git"))).isFile()) return undefined;
  const gitFolder = await gitFolderOf(top);
  if (gitFolder === undefined || basename(dirname(gitFolder)) !== "worktrees") return undefined;
  const back = (await readFile(join(gitFolder, "gitdir"), "utf8")).trim();
  if ((await realpath(resolve(gitFolder, back))) !== join(top, ".git")) return undefined;
  const common = dirname(dirname(gitFolder));
  return basename(common) === ".git" ? dirname(common) : common;
}
