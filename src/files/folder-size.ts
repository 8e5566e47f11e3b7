import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface FolderSize {
  bytes: number;
  /** False: there are more files than were looked at, so it is at least so large. */
  isWhole: boolean;
}

/** A worktree with its dependencies has some ten thousand files. */
const MOST_FILES = 100_000;

/** What the files below a folder take on the disk. Links are not followed; what cannot be read counts nothing. */
export async function folderSize(folder: string, most = MOST_FILES): Promise<FolderSize> {
  let bytes = 0;
  let left = most;
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    left -= entries.length;
    if (left < 0) return { bytes, isWhole: false };
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(at, entry.name));
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(at, name));
    const sizes = await Promise.all(
      files.map((file) =>
        lstat(file).then(
          ({ blocks }) => blocks * BLOCK,
          () => 0,
        ),
      ),
    );
    bytes += sizes.reduce((sum, size) => sum + size, 0);
  }
  return { bytes, isWhole: true };
}

/** The unit of `blocks`, on every system. */
const BLOCK = 512;
