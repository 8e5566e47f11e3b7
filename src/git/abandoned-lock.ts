import { link, rename, rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { isOpen, occupantsOf } from "../processes/occupants.ts";

/** For how long nothing must have happened to a lock before anybody asks whether it is abandoned. */
export const ABANDONED_AFTER_MS = 1_000;

/** A lock as it was seen: another one of its name is another file, or has another time. */
export interface SeenLock {
  inode: number;
  changedAt: number;
}

export async function lockAt(path: string): Promise<SeenLock | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && { inode: found.ino, changedAt: found.mtimeMs };
}

export function isSameLock(a: SeenLock, b: SeenLock): boolean {
  return a.inode === b.inode && a.changedAt === b.changedAt;
}

/**
 * Whether the git that made the lock is gone: none works in the worktree any more, and nobody has the file open. Only
 * where the system tells of all processes; elsewhere it is left to the user.
 */
export async function isAbandoned(path: string, worktree: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const occupants = await occupantsOf(worktree);
  return !occupants.some(({ command }) => /^git\b/.test(command)) && !(await isOpen(path));
}

/** Moves a lock out of the way, and keeps it. False where it is not the one that was seen: then it stays. */
export async function setAside(path: string, seen: SeenLock): Promise<boolean> {
  const aside = `${path}.abandoned`;
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return false;
  const now = await lockAt(aside);
  if (now && isSameLock(now, seen)) return true;
  // Whoever made it meanwhile gets it back, unless another has taken its place.
  await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
  return false;
}

/** Where a lock was left, and whether it is out of the way: one whose git may live stays. Undefined where there is none. */
export async function clearAbandoned(
  path: string,
  worktree: string,
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<{ path: string; isCleared: boolean } | undefined> {
  const seen = await lockAt(path);
  if (!seen) return undefined;
  await sleep(ABANDONED_AFTER_MS);
  const now = await lockAt(path);
  if (!now) return undefined;
  const isOver = isSameLock(seen, now) && (await isAbandoned(path, worktree));
  return { path, isCleared: isOver && (await setAside(path, now)) };
}
