import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readBounded } from "../../files/bounded-file.ts";
import { askGit } from "../../git/git.ts";
import type { Redact } from "../../secrets/redact.ts";
import { messageOf } from "../../util/errors.ts";
import type { WorkspaceJob } from "../workspace.ts";
import { bringBack, filesToKeep } from "./bring-back.ts";
import { type IgnoredFile, ignoredFiles } from "./find.ts";
import { MOST_BYTES, named, smallOnes, sortOut } from "./sort-out.ts";

interface Place {
  worktree: string;
  /** The checkout that the worktree is of, or a bare repository. */
  root: string;
}

/** Nobody reads more of them at the end of a job. */
const MOST_NAMED = 50;

/**
 * Before a worktree goes: brings back to the project what `workspace.keep` names, and says of every other ignored file
 * what becomes of it. Returns those that belong into the checkpoint, or why the worktree has to stay.
 */
export async function leaveIgnored(job: WorkspaceJob, place: Place): Promise<string[] | { refused: string }> {
  const [found, kept] = await Promise.all([ignoredFiles(place.worktree, place.root), keptBy(job, place)]);
  const brought = new Map<string, { instead?: string }>();
  // Whoever takes over after a kill sees what was on its way, and does it again.
  if (kept.length > 0) await job.record({ type: "workspace:keeping", paths: kept });
  for (const path of kept) {
    job.lost.throwIfAborted();
    try {
      const instead = await bringBack({ ...place, job: job.id }, path);
      brought.set(path, { ...(instead !== undefined && { instead }) });
    } catch (error) {
      return { refused: `${path} could not be brought back to ${place.root}: ${messageOf(error)}.` };
    }
  }
  const files = [...found.files, ...(await filesBeside(found.files, kept, place))];
  if (files.length === 0) return [];
  const rest = files.filter(({ path }) => !brought.has(path));
  const sorted = sortOut(files, brought, await withSecrets(rest, place.worktree, job.redact));
  const all = named(sorted);
  const more = all.length > MOST_NAMED || !found.all;
  await job.record({ type: "workspace:ignored", files: all.slice(0, MOST_NAMED), more });
  return sorted.flatMap(({ path, to }) => (to === "checkpoint" ? [path] : []));
}

/** For a checkpoint while the job is at work. */
export async function ignoredForCheckpoint({ worktree, root }: Place, redact: Redact): Promise<string[]> {
  const { files } = await ignoredFiles(worktree, root);
  const sorted = sortOut(files, new Map(), await withSecrets(files, worktree, redact));
  return sorted.flatMap(({ path, to }) => (to === "checkpoint" ? [path] : []));
}

async function keptBy(job: WorkspaceJob, { worktree, root }: Place): Promise<string[]> {
  if (job.keep.length === 0) return [];
  if ((await askGit(root, ["rev-parse", "--is-bare-repository"])) === "true") {
    job.warn(`workspace.keep brings nothing back: ${root} is a bare repository, and has no files.`);
    return [];
  }
  const { paths, refused } = await filesToKeep(worktree, root, job.keep);
  for (const { path, why } of refused.slice(0, MOST_NAMED))
    job.warn(`${path} is not brought back: it ${why}.`);
  return paths;
}

/** Those that are kept although tools could make them again. */
async function filesBeside(
  found: IgnoredFile[],
  kept: string[],
  { worktree }: Place,
): Promise<IgnoredFile[]> {
  const known = new Set(found.map(({ path }) => path));
  const others = kept.filter((path) => !known.has(path));
  return Promise.all(
    others.map(async (path) => {
      const { size: bytes } = await lstat(join(worktree, path));
      return { path, bytes, within: path, embedded: false };
    }),
  );
}

async function withSecrets(files: IgnoredFile[], worktree: string, redact: Redact): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { path } of smallOnes(files)) {
    if (await holdsSecret(join(worktree, path), redact)) found.add(path);
  }
  return found;
}

/** What cannot be read cannot be proved free of them. Of a database, say, what is text in it counts. */
async function holdsSecret(path: string, redact: Redact): Promise<boolean> {
  try {
    const text = readBounded(path, MOST_BYTES)
      .toString("utf8")
      .replace(/[\p{Cc}\uFFFD]+/gu, "\n");
    return redact(text) !== text;
  } catch {
    return true;
  }
}
