import { realpath } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { lock, lockOneOf } from "../../files/lock.ts";
import { recordWorktreeFolder } from "../../files/made-here.ts";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { git } from "../../git/git.ts";
import type { Repository } from "./repository.ts";

/** Whoever adds, removes or locks a worktree of the repository, in whatever process, holds this. */
export function repositoryLock(repo: Pick<Repository, "commonDir">, signal: AbortSignal) {
  return lock(join(repo.commonDir, "baton", "lock"), signal);
}

const CHECKOUT_LIMIT_MS = 30 * 60_000;

/** Disks get slower by more than the number of those who write at once. */
const CHECKOUTS_AT_ONCE = Math.max(2, Math.min(4, availableParallelism()));

export interface NewWorktree {
  path: string;
  branch: string;
  /** Where the branch begins; null where it is there already. */
  from: string | null;
  reason: string;
}

/** Registers a worktree and its branch, locked for the job, without any files yet. Under the repository's lock. */
export async function addWorktree(repo: Repository, { path, branch, from, reason }: NewWorktree) {
  await folderForWorktrees(dirname(path));
  const locked = ["--no-checkout", "--lock", "--reason", reason];
  const at = from === null ? [path, branch] : ["--no-track", "-b", branch, path, from];
  await git(repo.root, ["worktree", "add", "--quiet", ...locked, ...at]);
}

/** Fills a worktree with its files. Only so many at once, over all processes. */
export async function checkOut(repo: Repository, path: string, signal: AbortSignal): Promise<void> {
  const slots = Array.from({ length: CHECKOUTS_AT_ONCE }, (_, slot) =>
    join(repo.commonDir, "baton", `checkout-${slot + 1}`),
  );
  using _slot = await lockOneOf(slots, signal);
  const workers = `checkout.workers=${Math.min(4, availableParallelism())}`;
  await git(path, ["-c", workers, "checkout", "--quiet", "--force"], {
    timeoutMs: CHECKOUT_LIMIT_MS,
    signal,
  });
}

/** Who has the worktree, for other tools and for whoever looks at it. */
export function leaseOf(job: string, pid: number, start: string): string {
  return `baton job:${job} pid:${pid} start:${start}`;
}

/** Whom a worktree's lock names. Undefined for a lock that is not Baton's. */
export function leaseIn(reason: string | undefined): { job: string; pid: number } | undefined {
  const [, job, pid] = /^baton job:(\S+) pid:(\d+)(?: |$)/.exec(reason ?? "") ?? [];
  return job === undefined ? undefined : { job, pid: Number(pid) };
}

/** Makes the lease ours, whoever had it. */
export async function renewLease(repo: Repository, path: string, reason: string): Promise<void> {
  await git(repo.root, ["worktree", "unlock", path]).catch(() => {});
  await git(repo.root, ["worktree", "lock", "--reason", reason, path]);
}

/** Makes the folder. Returns its path without links, as git will name it. */
export async function folderForWorktrees(folder: string): Promise<string> {
  makeOwnFolder(folder, ".worktrees");
  const real = await realpath(folder);
  await recordWorktreeFolder(real);
  return real;
}
