import { lstat, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readBeginning } from "../files/bounded-file.ts";
import { codeOf } from "../util/errors.ts";

/** Such a file holds one path. */
const MOST_BYTES = 64 * 1024;

/**
 * Where git keeps what it knows of a work tree, as the `.git` in it says, without symbolic links. Undefined where there
 * is none, or it points to nothing: a repository around the folder is never taken for its own.
 */
export async function gitFolderOf(folder: string): Promise<string | undefined> {
  const dotGit = join(folder, ".git");
  const found = await lstat(dotGit).catch(ifMissing);
  if (!found) return undefined;
  if (!found.isFile()) return realpath(dotGit).catch(ifMissing);
  const named = /^gitdir: (.+)$/m.exec(readBeginning(dotGit, MOST_BYTES))?.[1];
  return named === undefined ? undefined : realpath(resolve(folder, named)).catch(ifMissing);
}

/** Anything but a definite "not there" is thrown on: what could not be looked at may be there. */
export function ifMissing(error: unknown): undefined {
  const code = codeOf(error);
  if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
}
