import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { git } from "./git.ts";

/** A git ref that holds the whole tree of a workspace at one moment, uncommitted and untracked files included. */
export interface Checkpoint {
  number: number;
  ref: string;
  commit: string;
  at: string;
  subject: string;
}

const AUTHOR = {
  GIT_AUTHOR_NAME: "Baton",
  GIT_AUTHOR_EMAIL: "baton@localhost",
  GIT_COMMITTER_NAME: "Baton",
  GIT_COMMITTER_EMAIL: "baton@localhost",
};

/** The agent's own index and HEAD are not touched: it may be in the middle of a commit. Undefined outside a repository. */
export async function makeCheckpoint(
  folder: string,
  job: string,
  subject: string,
): Promise<{ ref: string; commit: string } | undefined> {
  const top = await git(folder, ["rev-parse", "--show-toplevel"]).catch(() => undefined);
  if (top === undefined) return undefined;
  const scratch = await mkdtemp(join(tmpdir(), "baton-checkpoint-"));
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index"), ...AUTHOR };
    // With the stat data of the real index only what has changed is read again.
    const index = resolve(folder, await git(folder, ["rev-parse", "--git-path", "index"]));
    await copyFile(index, env.GIT_INDEX_FILE).catch(() => {});
    await git(top, ["add", "--all"], { env });
    const tree = await git(top, ["write-tree"], { env });
    const head = await git(top, ["rev-parse", "--verify", "--quiet", "HEAD"]).catch(() => "");
    const parents = head ? ["-p", head] : [];
    const commit = await git(top, ["commit-tree", tree, ...parents, "-m", subject], { env });
    return { commit, ref: await underFreeNumber(top, job, commit) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** An old value of nothing makes git refuse a number that somebody else has just taken. */
async function underFreeNumber(top: string, job: string, commit: string): Promise<string> {
  const known = await listCheckpoints(top, job);
  for (let number = (known.at(-1)?.number ?? 0) + 1; ; number++) {
    const ref = `${prefix(job)}${number}`;
    const taken = await git(top, ["update-ref", ref, commit, ""]).then(
      () => false,
      () => true,
    );
    if (!taken) return ref;
    if (number > (known.at(-1)?.number ?? 0) + 100)
      throw new Error(`No free number for a checkpoint of ${job}.`);
  }
}

export async function listCheckpoints(folder: string, job: string): Promise<Checkpoint[]> {
  const format = "%(refname)%00%(objectname)%00%(committerdate:iso-strict)%00%(contents:subject)";
  const lines = await git(folder, ["for-each-ref", `--format=${format}`, prefix(job)]).catch(() => "");
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [ref = "", commit = "", at = "", subject = ""] = line.split("\0");
      return { number: Number(ref.slice(prefix(job).length)), ref, commit, at, subject };
    })
    .sort((a, b) => a.number - b.number);
}

/** Writes the files of a checkpoint into a folder that is empty or not there yet. */
export async function restoreCheckpoint(folder: string, commit: string, into: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "baton-restore-"));
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    const top = await git(folder, ["rev-parse", "--show-toplevel"]);
    await git(top, ["read-tree", commit], { env });
    await git(top, ["checkout-index", "--all", `--prefix=${join(into, "/")}`], { env });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const prefix = (job: string) => `refs/baton/${job}/`;
