import { lstat, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gitFolderOf, ifMissing } from "./folder.ts";
import { askGit, git, zeroSeparated } from "./git.ts";

/** A worktree as git's own records have it; the first one is the main checkout, or the bare repository. */
export interface Registered {
  path: string;
  /** Missing where no commit is checked out yet. */
  head?: string;
  /** Without `refs/heads/`. Missing where HEAD is detached. */
  branch?: string;
  /** Why it is locked; empty where nobody said. */
  locked?: string;
  /** Git would forget it: its folder is not where it was. */
  prunable: boolean;
  bare: boolean;
}

export async function registeredWorktrees(repo: string): Promise<Registered[]> {
  const all: Registered[] = [];
  for (const line of zeroSeparated(await git(repo, ["worktree", "list", "--porcelain", "-z"]))) {
    const end = line.indexOf(" ");
    const key = end === -1 ? line : line.slice(0, end);
    const value = end === -1 ? "" : line.slice(end + 1);
    if (key === "worktree") all.push({ path: value, prunable: false, bare: false });
    const entry = all.at(-1);
    if (!entry) continue;
    if (key === "HEAD" && !/^0+$/.test(value)) entry.head = value;
    if (key === "branch") entry.branch = value.replace(/^refs\/heads\//, "");
    if (key === "locked") entry.locked = value;
    if (key === "prunable") entry.prunable = true;
    if (key === "bare") entry.bare = true;
  }
  return all;
}

/**
 * Forgets worktrees whose folders have been gone for as long as git's own upkeep waits. A folder that is not there may be
 * on a disk that is not plugged in, so what was used lately stays.
 */
export async function pruneWorktrees(repo: string): Promise<void> {
  if (!(await hasGone(repo))) return;
  const expire = (await askGit(repo, ["config", "--get", "gc.worktreePruneExpire"])) || "3.months.ago";
  await git(repo, ["worktree", "prune", `--expire=${expire}`]);
}

/** Whether the folder of a worktree that nobody locked is not there. Read off the disk: mostly there is none. */
async function hasGone(repo: string): Promise<boolean> {
  const records = join((await gitFolderOf(repo)) ?? repo, "worktrees");
  for (const name of (await readdir(records).catch(ifMissing)) ?? []) {
    const record = join(records, name);
    const link = await readFile(join(record, "gitdir"), "utf8").catch(ifMissing);
    const isLocked = await lstat(join(record, "locked")).catch(ifMissing);
    if (link === undefined || isLocked) continue;
    if (!(await lstat(resolve(record, link.trimEnd())).catch(ifMissing))) return true;
  }
  return false;
}
