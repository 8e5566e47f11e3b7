import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../files/exists.ts";
import { ifMissing } from "../../git/folder.ts";
import { git, zeroSeparated } from "../../git/git.ts";
import { namedAndIgnored } from "../worktrees/bring-along.ts";
import { isRemade } from "./remade.ts";

/** A file in a worktree that git ignores. Paths are from the top. */
export interface IgnoredFile {
  path: string;
  bytes: number;
  /** What git names of it: the file, or a folder that is ignored as a whole, with a slash at its end. */
  within: string;
  /** It is in a repository of its own, of which git could keep no file. */
  embedded: boolean;
}

const STATUS_LIMIT_MS = 10 * 60_000;

/** Nobody reads a list of more. */
const MOST_FILES = 5_000;

/**
 * The ignored files in the worktree of a job that were made in it: not those that tools make again, nor what was brought
 * along from the checkout at `root`. `all`: whether there are no more than these.
 */
export async function ignoredFiles(
  worktree: string,
  root: string,
): Promise<{ files: IgnoredFile[]; all: boolean }> {
  const status = [
    "status",
    "--porcelain",
    "-z",
    "--ignored=matching",
    "--untracked-files=all",
    "--no-renames",
  ];
  const said = await git(worktree, ["--no-optional-locks", ...status], { timeoutMs: STATUS_LIMIT_MS });
  const named = zeroSeparated(said).flatMap((line) => (line.startsWith("!! ") ? [line.slice(3)] : []));
  const brought = await broughtFrom(root);
  const files: IgnoredFile[] = [];
  for (const within of named) {
    for await (const file of filesIn(worktree, within)) {
      if (await brought(file.path)) continue;
      if (files.length === MOST_FILES) return { files, all: false };
      files.push({ ...file, within });
    }
  }
  return { files, all: true };
}

/** What a list names and the checkout does not have was made here. */
async function broughtFrom(root: string): Promise<(path: string) => Promise<boolean>> {
  const named = await namedAndIgnored(root);
  return async (path) => {
    const isNamed = named.some((one) => path === one || (one.endsWith("/") && path.startsWith(one)));
    return isNamed && (await exists(join(root, path)));
  };
}

type Found = Omit<IgnoredFile, "within">;

/** Regular files only, in the order of their names. A link may lead anywhere. */
async function* filesIn(worktree: string, path: string, embedded = false): AsyncGenerator<Found> {
  if (isOwn(path) || isRemade(path)) return;
  const found = await lstat(join(worktree, path)).catch(ifMissing);
  if (found?.isFile()) yield { path, bytes: found.size, embedded };
  if (!found?.isDirectory()) return;
  const folder = path.endsWith("/") ? path : `${path}/`;
  const names = ((await readdir(join(worktree, folder)).catch(ifMissing)) ?? []).sort();
  const isRepository = embedded || names.includes(".git");
  for (const name of names) {
    if (name !== ".git") yield* filesIn(worktree, `${folder}${name}`, isRepository);
  }
}

/** What Baton itself keeps in a project. */
export function isOwn(path: string): boolean {
  return path.split("/")[0] === ".baton";
}
