import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { noRoom } from "../files/no-room.ts";
import { scratchFolder } from "../files/scratch.ts";
import { AS_BATON, askGit, git } from "../git/git.ts";
import { copyIndex } from "../git/index-file.ts";
import { revParse } from "../git/rev-parse.ts";

/** A git ref that holds the whole tree of a workspace at one moment, uncommitted and untracked files included. */
export interface Checkpoint {
  number: number;
  ref: string;
  commit: string;
  at: string;
  tree: string;
  /** With a space between two. */
  parents: string;
  subject: string;
}

/** A tree may be large, and what is new in it must be read and compressed. */
const TIMEOUT_MS = 10 * 60_000;

/** Tells a commit that only holds a tree from one that the agent made. */
const TRAILER = "Baton-Checkpoint";

/**
 * The agent's own index and HEAD are not touched: it may be in the middle of a commit. Undefined outside a repository.
 * Where nothing has changed since the newest checkpoint of the job, it is that one. `ignored`: files to be held although
 * git ignores them, from the top.
 */
export async function makeCheckpoint(
  folder: string,
  job: string,
  subject: string,
  ignored: readonly string[] = [],
): Promise<{ ref: string; commit: string } | undefined> {
  const { answers } = await revParse(folder, [
    ["--show-toplevel"],
    ["--git-path", "index"],
    ["--git-path", "objects"],
  ]);
  const [top, index, objects] = answers;
  if (top === undefined || index === undefined || objects === undefined) return undefined;
  try {
    return await keepTree({ top, index: resolve(folder, index), job, subject, ignored });
  } catch (error) {
    throw noRoom(error, dirname(resolve(folder, objects)), tmpdir()) ?? error;
  }
}

interface TreeToKeep {
  top: string;
  index: string;
  job: string;
  subject: string;
  ignored: readonly string[];
}

async function keepTree({
  top,
  index,
  job,
  subject,
  ignored,
}: TreeToKeep): Promise<{ ref: string; commit: string }> {
  const scratch = scratchFolder("checkpoint");
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index"), ...AS_BATON };
    await copyIndex(index, env.GIT_INDEX_FILE).catch(() => {});
    await git(top, ["add", "--all"], { env, timeoutMs: TIMEOUT_MS });
    if (ignored.length > 0) {
      const input = ignored.map((path) => `${path}\0`).join("");
      await git(top, ["update-index", "--add", "--remove", "-z", "--stdin"], { env, input });
    }
    const tree = await git(top, ["write-tree"], { env, timeoutMs: TIMEOUT_MS });
    const head = await askGit(top, ["rev-parse", "--verify", "--quiet", "HEAD"]);
    const known = await listCheckpoints(top, job);
    const newest = known.at(-1);
    if (newest && holds(newest, tree, head)) return newest;
    const parents = head ? ["-p", head] : [];
    const message = ["-m", subject, "-m", `${TRAILER}: ${job}`];
    const commit = await git(top, ["commit-tree", tree, ...parents, ...message], { env });
    return { commit, ref: await underFreeNumber(top, job, commit, known) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A commit is its own checkpoint where nothing is uncommitted. */
export async function keepCommit(
  folder: string,
  job: string,
  commit: string,
  known?: Checkpoint[],
): Promise<{ ref: string; commit: string }> {
  known ??= await listCheckpoints(folder, job);
  const newest = known.at(-1);
  if (newest?.commit === commit) return newest;
  if (newest) {
    const tree = await git(folder, ["rev-parse", `${commit}^{tree}`]);
    if (holds(newest, tree, commit)) return newest;
  }
  return { commit, ref: await underFreeNumber(folder, job, commit, known) };
}

/** True for a commit that `makeCheckpoint` made, false for one of the workspace's own that was kept. */
export async function isOwnCheckpoint(folder: string, commit: string): Promise<boolean> {
  const format = `--format=%(trailers:key=${TRAILER},valueonly)`;
  return (await git(folder, ["log", "-1", "--no-show-signature", format, commit])) !== "";
}

/** Whether a checkpoint has just this tree, on just this commit. */
function holds(checkpoint: Checkpoint, tree: string, head: string | undefined): boolean {
  const isOnIt = checkpoint.commit === head || checkpoint.parents === (head ?? "");
  return checkpoint.tree === tree && isOnIt;
}

/** An old value of nothing makes git refuse a number that somebody else has just taken. */
async function underFreeNumber(
  folder: string,
  job: string,
  commit: string,
  known: Checkpoint[],
): Promise<string> {
  for (let number = (known.at(-1)?.number ?? 0) + 1; ; number++) {
    const ref = `${prefix(job)}${number}`;
    try {
      await git(folder, ["update-ref", ref, commit, ""]);
      return ref;
    } catch (error) {
      const taken = await askGit(folder, ["rev-parse", "--verify", "--quiet", ref]);
      if (taken === undefined) throw error;
    }
  }
}

const FIELDS = ["refname", "objectname", "committerdate:iso-strict", "tree", "parent", "contents:subject"];

export async function listCheckpoints(folder: string, job: string): Promise<Checkpoint[]> {
  const format = FIELDS.map((field) => `%(${field})`).join("%00");
  const lines = await git(folder, ["for-each-ref", `--format=${format}`, prefix(job)]).catch(() => "");
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [ref = "", commit = "", at = "", tree = "", parents = "", subject = ""] = line.split("\0");
      return { number: Number(ref.slice(prefix(job).length)), ref, commit, at, tree, parents, subject };
    })
    .sort((a, b) => a.number - b.number);
}

/** The jobs that have checkpoints in a repository. */
export async function jobsWithCheckpoints(folder: string): Promise<Set<string>> {
  const refs = await git(folder, ["for-each-ref", "--format=%(refname)", PLACE]);
  return new Set(refs.split("\n").flatMap((ref) => ref.slice(PLACE.length).split("/")[0] || []));
}

/** Writes the files of a checkpoint into a folder that is empty or does not exist yet. */
export async function restoreCheckpoint(folder: string, commit: string, into: string): Promise<void> {
  const scratch = scratchFolder("restore");
  try {
    // The repository may be a bare one, which has no work tree of its own.
    const env = {
      GIT_INDEX_FILE: join(scratch, "index"),
      GIT_DIR: await git(folder, ["rev-parse", "--absolute-git-dir"]),
      GIT_WORK_TREE: ".",
    };
    await mkdir(into, { recursive: true });
    await git(into, ["read-tree", commit], { env });
    await git(into, ["checkout-index", "--all"], { env, timeoutMs: TIMEOUT_MS });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const PLACE = "refs/baton/";
const prefix = (job: string) => `${PLACE}${job}/`;
