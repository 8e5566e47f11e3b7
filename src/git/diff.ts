import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { scratchFolder } from "../files/scratch.ts";
import { git, OWN_DIFF } from "./git.ts";
import { copyIndex } from "./index-file.ts";

/** Two states of a repository. */
export interface Compared {
  /** In a checkout of it, or a bare one. */
  folder: string;
  from: string;
  /** A commit, or where it is missing the files that are in the folder's checkout now, untracked ones included. */
  to?: string;
  /** This file alone, from the top of the repository. */
  only?: string;
}

/** How many lines of a file were added and removed; of a binary one that is not said. */
export interface ChangedLines {
  path: string;
  added: number | null;
  removed: number | null;
}

const TIMEOUT_MS = 5 * 60_000;

/** The difference byte for byte, as `git apply` takes it. */
export function patch(compared: Compared, options: readonly string[] = []): Promise<Buffer> {
  return inScratch(async (scratch) => {
    const output = join(scratch, "patch");
    await diff(compared, scratch, ["--no-color", ...options, `--output=${output}`]);
    return readFile(output);
  });
}

export function changedLines(compared: Compared): Promise<ChangedLines[]> {
  return inScratch(async (scratch) => {
    const listed = await diff(compared, scratch, ["--numstat", "--no-renames", "-z"]);
    return listed.split("\0").flatMap((line) => {
      const [added, removed, ...path] = line.split("\t");
      if (added === undefined || removed === undefined) return [];
      return [{ path: path.join("\t"), added: count(added), removed: count(removed) }];
    });
  });
}

function count(text: string): number | null {
  return text === "-" ? null : Number(text);
}

async function diff(compared: Compared, scratch: string, options: readonly string[]): Promise<string> {
  const { folder, from, to, only } = compared;
  const args = ["diff", ...OWN_DIFF, ...options, from];
  const paths = ["--", ...(only === undefined ? [] : [`:(top,literal)${only}`])];
  if (to !== undefined) return git(folder, [...args, to, ...paths], { timeoutMs: TIMEOUT_MS });
  const { top, env } = await withUntracked(folder, scratch);
  return git(top, ["--no-optional-locks", ...args, ...paths], { env, timeoutMs: TIMEOUT_MS });
}

/** An index that knows of untracked files, beside that of the checkout, which stays as it is. No file is read into git. */
async function withUntracked(folder: string, scratch: string) {
  const top = await git(folder, ["rev-parse", "--show-toplevel"]);
  const index = await git(folder, ["rev-parse", "--git-path", "index"]);
  const env = { GIT_INDEX_FILE: join(scratch, "index") };
  await copyIndex(resolve(folder, index), env.GIT_INDEX_FILE).catch(() => {});
  await git(top, ["add", "--intent-to-add", "--", "."], { env, timeoutMs: TIMEOUT_MS });
  return { top, env };
}

async function inScratch<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = scratchFolder("diff");
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
