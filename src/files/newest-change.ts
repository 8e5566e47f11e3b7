import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** Made by programs beside the work, or by Baton itself. */
const SKIPPED = new Set([".git", ".baton", "node_modules"]);
/** A look must not take longer than what it is for. */
const MOST_ENTRIES = 5_000;

/**
 * When something below the folder last changed, as far as so many entries tell, nearest first. What is another repository, or
 * the worktree of another job, is not looked into. Undefined where nothing can be read.
 */
export async function newestChange(folder: string, most = MOST_ENTRIES): Promise<number | undefined> {
  const waiting = [folder];
  let newest: number | undefined;
  let left = most;
  for (let at = waiting.shift(); at !== undefined && left > 0; at = waiting.shift()) {
    const entries = await entriesOf(at, left);
    left -= entries.length;
    if (at !== folder && entries.some(({ name }) => name === ".git")) continue;
    for (const { name, isFolder } of entries) {
      const changed = await changedAt(join(at, name));
      if (changed !== undefined) newest = Math.max(newest ?? 0, changed);
      if (isFolder && !SKIPPED.has(name)) waiting.push(join(at, name));
    }
  }
  return newest;
}

async function entriesOf(folder: string, most: number): Promise<{ name: string; isFolder: boolean }[]> {
  const found: { name: string; isFolder: boolean }[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (found.length >= most) break;
      found.push({ name: entry.name, isFolder: entry.isDirectory() });
    }
  } catch {
    // Gone meanwhile, or not to be read.
  }
  return found;
}

async function changedAt(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
