import { copyFile, stat, utimes } from "node:fs/promises";

/**
 * With the stat data of the real index only what has changed is read again. Git also goes by the time of the index
 * itself: a file as old as that may have changed since, in the same second and to the same size.
 */
export async function copyIndex(index: string, copy: string, mode = 0): Promise<void> {
  const { mtimeMs } = await stat(index);
  await copyFile(index, copy, mode);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(copy, seconds, seconds);
}
