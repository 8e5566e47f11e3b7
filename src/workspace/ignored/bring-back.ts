import { constants } from "node:fs";
import { copyFile, link, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ifMissing } from "../../git/folder.ts";
import { git, zeroSeparated } from "../../git/git.ts";
import { codeOf } from "../../util/errors.ts";
import { ignored } from "../worktrees/bring-along.ts";
import { staysWithin } from "../worktrees/copy-into.ts";
import { isOwn } from "./find.ts";

/** What of a worktree `workspace.keep` names, and what of that may not go into the project. Paths of files, from the top. */
export interface Kept {
  paths: string[];
  refused: { path: string; why: string }[];
}

/** Only what git ignores, here and in the checkout: a file must not end up in a commit of the user's by itself. */
export async function filesToKeep(
  worktree: string,
  root: string,
  patterns: readonly string[],
): Promise<Kept> {
  if (patterns.length === 0) return { paths: [], refused: [] };
  const excluded = patterns.map((pattern) => `--exclude=${pattern}`);
  const listed = await git(worktree, ["ls-files", "--others", "--ignored", "-z", ...excluded]);
  const paths = (await ignored(worktree, zeroSeparated(listed))).filter((path) => !isOwn(path));
  const within: string[] = [];
  for (const path of paths) {
    if ((await staysWithin(worktree, path)) && (await staysWithin(root, path))) within.push(path);
  }
  const [alsoIgnored, tracked] = await Promise.all([ignored(root, within), trackedIn(root, within)]);
  const [reached, inRoot] = [new Set(within), new Set(alsoIgnored)];
  const kept: Kept = { paths: [], refused: [] };
  for (const path of paths) {
    const why = await whyNot(path);
    if (why === undefined) kept.paths.push(path);
    else kept.refused.push({ path, why });
  }
  return kept;

  async function whyNot(path: string): Promise<string | undefined> {
    if (!reached.has(path)) return "is behind a link, or a file is in its way";
    if (tracked.has(path)) return "is tracked in the project";
    if (!inRoot.has(path)) return "is not ignored in the project";
    if (!(await lstat(join(worktree, path)).catch(ifMissing))?.isFile()) return "is not a plain file";
    const there = await lstat(join(root, path)).catch(ifMissing);
    return there === undefined || there.isFile() ? undefined : "has something else in its place";
  }
}

async function trackedIn(root: string, paths: string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  return new Set(zeroSeparated(await git(root, ["ls-files", "-z"])));
}

/**
 * Copies a file of the worktree to its place in the project. What is there and differs is kept beside it, under a name
 * that says before which job it was there: returned. Killed at any point, it can be done again.
 */
export async function bringBack(
  { worktree, root, job }: { worktree: string; root: string; job: string },
  path: string,
): Promise<string | undefined> {
  const [source, target] = [join(worktree, path), join(root, path)];
  if (await isSame(source, target)) return undefined;
  await mkdir(dirname(target), { recursive: true });
  const half = join(dirname(target), `.${basename(target)}.${job}.half`);
  await rm(half, { force: true });
  await copyFile(source, half, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const aside = await putAside(target, `${target}.before-${job}`);
  await rename(half, target);
  return aside;
}

const MOST_ASIDE = 100;

/** A second name for what is there, before it loses its first. */
async function putAside(target: string, name: string): Promise<string | undefined> {
  if (!(await lstat(target).catch(ifMissing))) return undefined;
  for (let number = 1; number <= MOST_ASIDE; number++) {
    const aside = number === 1 ? name : `${name}-${number}`;
    try {
      await link(target, aside).catch((error: unknown) => {
        if (codeOf(error) === "EEXIST") throw error;
        return copyFile(target, aside, constants.COPYFILE_EXCL);
      });
      return aside;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      if (await isSame(target, aside)) return aside;
    }
  }
  throw new Error(`${name} and ${MOST_ASIDE} names like it are taken.`);
}

const CHUNK_BYTES = 1024 * 1024;

async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => lstat(path).catch(ifMissing)));
  if (!a?.isFile() || !b?.isFile() || a.size !== b.size) return false;
  await using left = await open(one);
  await using right = await open(other);
  for (let at = 0; at < a.size; at += CHUNK_BYTES) {
    const pieces = await Promise.all(
      [left, right].map(async (file) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
        return buffer.subarray(0, bytesRead);
      }),
    );
    if (!pieces[0]?.equals(pieces[1] ?? Buffer.alloc(0))) return false;
  }
  return true;
}
