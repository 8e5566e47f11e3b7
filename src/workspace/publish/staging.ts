import { constants, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { exists } from "../../files/exists.ts";
import { scratchFolder } from "../../files/scratch.ts";
import {
  ABANDONED_AFTER_MS,
  isAbandoned,
  isSameLock,
  lockAt,
  type SeenLock,
  setAside,
} from "../../git/abandoned-lock.ts";
import { askGit, git, OWN_DIFF, tryGit, zeroSeparated } from "../../git/git.ts";
import { copyIndex } from "../../git/index-file.ts";
import { gitHead } from "../../git/state.ts";
import type { Run } from "../../processes/run.ts";
import { lastWords } from "../../util/text.ts";
import { changesToCommit, checkFinished, type Tree, treeAt, Unfit } from "./fit-to-commit.ts";

interface CommitOptions {
  /** A branch that no commit may go onto: one that would is made on no branch at all. */
  neverOnto?: string;
  /** Run the repository's commit hooks: they can run what the agent has edited. */
  hooks?: boolean;
  signal?: AbortSignal;
  sleep?: (ms: number) => Promise<unknown>;
}

/** With hooks, which may run the tests of a project. */
const LIMIT_MS = 10 * 60_000;
const LOCK_LIMIT_MS = 10_000;
const LOCK_POLL_MS = 100;
const SAID_LIMIT = 2_000;

/** Nobody is there to type a passphrase, so a key that needs one fails at once. */
const ASKS_NOBODY = {
  GPG_TTY: "",
  DISPLAY: "",
  WAYLAND_DISPLAY: "",
  SSH_ASKPASS: "false",
  SSH_ASKPASS_REQUIRE: "force",
};

/**
 * Commits what the agent left uncommitted, as the repository's own settings, and its hooks where they may run, want it.
 * Undefined where that is nothing. `refused` says why it must not or cannot be committed, and what to do; then the index is as it was.
 */
export async function commitRest(
  worktree: string,
  message: string,
  commands: readonly string[],
  options: CommitOptions = {},
): Promise<{ commit: string; files: number } | { refused: string } | undefined> {
  try {
    const tree = await treeAt(worktree);
    await indexFree(tree, options);
    await checkFinished(tree);
    const changes = await changesToCommit(tree, commands);
    return changes.any ? await commitAll(tree, message, options) : undefined;
  } catch (error) {
    if (error instanceof Unfit) return { refused: error.message };
    throw error;
  }
}

async function commitAll(tree: Tree, message: string, options: CommitOptions) {
  const { worktree, index } = tree;
  const scratch = scratchFolder("index");
  const saved = join(scratch, "index");
  const { head: before, branch: current } = await gitHead(worktree);
  let done = false;
  let branch: string | undefined;
  try {
    if (await exists(index)) await copyIndex(index, saved);
    if (before !== undefined && current !== undefined && current === options.neverOnto) {
      // Files stay as they are: only what HEAD stands on changes.
      await git(worktree, ["update-ref", "--no-deref", "HEAD", before]);
      branch = current;
    }
    const said = await stageAndCommit(tree, message, before, options);
    const commit = await headOf(worktree);
    done = commit !== undefined && commit !== before;
    if (commit !== undefined && done) return { commit, files: await filesOf(worktree, commit) };
    if (said === undefined) return undefined;
    throw new Unfit(
      `The rest of the work in ${worktree} could not be committed: ${lastWords(said, SAID_LIMIT)}\n` +
        "Fix that and commit it there by hand.",
    );
  } finally {
    if (!done) {
      await putBack(saved, index);
      if (branch !== undefined) await tryGit(worktree, ["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
    }
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Whether it worked, HEAD tells: git can fail after it has committed. Hooks that change files and leave it to the user to
 * stage them get a second round. Returns what went wrong; undefined where there was nothing that git can commit.
 */
async function stageAndCommit(
  tree: Tree,
  message: string,
  before: string | undefined,
  options: CommitOptions,
): Promise<string | undefined> {
  const { worktree } = tree;
  const identity = await fallbackIdentity(worktree);
  let said: string | undefined;
  for (let round = 1; round <= 2; round++) {
    const added = await withIndex(tree, ["add", "--all"], options);
    if (!added.ok) return added.said;
    if ((await tryGit(worktree, ["diff", ...OWN_DIFF, "--cached", "--quiet"])).ok) return said;
    const amend = round === 1 || (await headOf(worktree)) === before ? [] : ["--amend"];
    const commit = ["commit", "--quiet", "--cleanup=verbatim", ...amend, "--file=-"];
    const committed = await withIndex(tree, [...identity, ...commit], options, message);
    said = committed.said || `git commit ended with exit code ${committed.code} and said nothing.`;
    if (!(await isLeftDirty(worktree))) return said;
  }
  return said;
}

async function withIndex(tree: Tree, args: string[], options: CommitOptions, input = ""): Promise<Run> {
  const { signal, hooks = false } = options;
  for (let tries = 1; ; tries++) {
    await indexFree(tree, options);
    const run = await tryGit(tree.worktree, args, {
      env: ASKS_NOBODY,
      timeoutMs: LIMIT_MS,
      input,
      hooks,
      ...(signal && { signal }),
    });
    // Somebody may have taken the lock in between.
    if (run.ok || tries === 5 || !(await exists(lockOf(tree.index)))) return run;
  }
}

/** A git that runs in the worktree gets time to end. The lock of one that was killed is moved aside. Throws Unfit. */
async function indexFree({ worktree, index }: Tree, { sleep = wait }: CommitOptions): Promise<void> {
  const path = lockOf(index);
  let seen: SeenLock | undefined;
  let unchangedMs = 0;
  for (let waited = 0; ; waited += LOCK_POLL_MS) {
    const lock = await lockAt(path);
    if (!lock) return;
    unchangedMs = seen && isSameLock(seen, lock) ? unchangedMs + LOCK_POLL_MS : 0;
    seen = lock;
    const isOld = unchangedMs >= ABANDONED_AFTER_MS;
    if (isOld && (await isAbandoned(path, worktree)) && (await setAside(path, lock))) return;
    if (waited >= LOCK_LIMIT_MS) {
      throw new Unfit(
        `A git command is under way in ${worktree}, or was killed there, so nothing was committed. ` +
          `If none runs, look at \`git -C ${worktree} status\` and delete ${lockOf(index)}.`,
      );
    }
    await sleep(LOCK_POLL_MS);
  }
}

const lockOf = (index: string) => `${index}.lock`;

/** As git itself replaces an index: whoever has the lock keeps it. */
async function putBack(saved: string, index: string): Promise<void> {
  if (!(await exists(saved))) return rm(index, { force: true });
  const locked = await copyIndex(saved, lockOf(index), constants.COPYFILE_EXCL).then(
    () => true,
    () => false,
  );
  if (locked) await rename(lockOf(index), index);
}

async function fallbackIdentity(worktree: string): Promise<string[]> {
  const entries = zeroSeparated((await askGit(worktree, ["config", "-z", "--get-regexp", "^user\\."])) ?? "");
  // Of several the last one counts, as for git.
  const set = new Map(entries.map((entry) => [entry.split("\n")[0], entry.split("\n")[1]]));
  return [
    ...(set.get("user.name") ? [] : ["-c", "user.name=Baton"]),
    ...(set.get("user.email") || process.env.EMAIL ? [] : ["-c", "user.email=baton@localhost"]),
  ];
}

async function isLeftDirty(worktree: string): Promise<boolean> {
  const status = ["status", "--porcelain", "--no-renames", "--ignore-submodules=dirty", "-z"];
  const entries = zeroSeparated((await askGit(worktree, status)) ?? "");
  return entries.some((entry) => entry[1] !== " ");
}

const headOf = (worktree: string) => askGit(worktree, ["rev-parse", "--verify", "--quiet", "HEAD"]);

async function filesOf(worktree: string, commit: string): Promise<number> {
  const names = ["diff-tree", "-r", "--root", "--no-commit-id", "--no-renames", "--name-only", "-z", commit];
  return zeroSeparated((await askGit(worktree, names)) ?? "").length;
}
