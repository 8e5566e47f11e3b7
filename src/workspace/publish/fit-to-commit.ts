import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../files/exists.ts";
import { type Changes, changesIn } from "../../git/changes.ts";
import { askGit, tryGit, zeroSeparated } from "../../git/git.ts";
import { revParse } from "../../git/rev-parse.ts";
import { removesFiles } from "../removal/removes-files.ts";

/** A worktree and where git keeps what it knows about it. */
export interface Tree {
  worktree: string;
  gitDir: string;
  index: string;
}

/** What is in a worktree must not be committed as it is. The message is for the user. */
export class Unfit extends Error {
  override readonly name = "Unfit";
}

const FEWEST_MISSING = 10;
const STATUS_LIMIT_MS = 10 * 60_000;

/** Where the folder is no worktree any more, git would take the repository around it for it. */
export async function treeAt(worktree: string): Promise<Tree> {
  const { run, answers } = await revParse(worktree, [["--show-toplevel"], ["--absolute-git-dir"]]);
  const [top = "", gitDir] = answers;
  const isTop = run.ok && (await realPath(top)) === (await realPath(worktree));
  if (!isTop || !gitDir) {
    const said = run.ok ? "" : ` (${run.said})`;
    throw new Unfit(
      `${worktree} is no longer a worktree of its own${said}, so nothing in it was committed. ` +
        "The job's last checkpoint has what it had: see `baton checkpoints`.",
    );
  }
  return { worktree, gitDir, index: join(gitDir, "index") };
}

/** Throws Unfit for a tree that git has not finished making, or that somebody has to finish something in. */
export async function checkFinished({ worktree, gitDir, index }: Tree): Promise<void> {
  const locked = await readFile(join(gitDir, "locked"), "utf8").catch(() => "");
  const isBegun = locked.trim() === "initializing";
  if (isBegun || (!(await exists(index)) && (await hasCommit(worktree)))) {
    throw new Unfit(
      `${worktree} was never checked out to the end, so what is missing there would be committed as deleted. ` +
        `Nothing was committed. \`git -C ${worktree} checkout --force\` completes it; then look at \`git status\`.`,
    );
  }
  for (const [file, operation] of UNDER_WAY) {
    if (!(await exists(join(gitDir, file)))) continue;
    const end =
      operation === "bisect" ? "bisect reset" : `${operation} --continue\` or \`git ${operation} --abort`;
    throw new Unfit(
      `A ${operation} is under way in ${worktree}, so nothing was committed. End it there with \`git ${end}\`.`,
    );
  }
}

async function hasCommit(worktree: string): Promise<boolean> {
  return (await askGit(worktree, ["rev-parse", "--verify", "--quiet", "HEAD"])) !== undefined;
}

const UNDER_WAY = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["sequencer", "cherry-pick"],
  ["BISECT_LOG", "bisect"],
] as const;

/** What there is to commit. Throws Unfit where committing it would do harm that the agent did not mean. */
export async function changesToCommit({ worktree }: Tree, commands: readonly string[]): Promise<Changes> {
  const status = await tryGit(
    worktree,
    ["--no-optional-locks", "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"],
    { timeoutMs: STATUS_LIMIT_MS },
  );
  if (!status.ok) throw new Unfit(`git cannot tell what has changed in ${worktree}: ${status.said}`);
  const changes = changesIn(status.stdout);
  const { unmerged, missing, repositories } = changes;
  if (unmerged.length > 0) {
    throw new Unfit(
      `${some(unmerged)} in ${worktree} ${unmerged.length > 1 ? "have" : "has"} conflicts, so nothing was committed. ` +
        "Resolve them there and `git add` the files.",
    );
  }
  const own = new Set(repositories.length > 0 ? await submodulesOf(worktree) : []);
  const embedded = repositories.filter((path) => !own.has(path));
  if (embedded.length > 0) {
    throw new Unfit(
      `${some(embedded)} in ${worktree} is a git repository of its own, and a commit would hold a link to it, none of its files. ` +
        "Nothing was committed. Add it with `git submodule add`, put it into .gitignore, or remove its .git folder.",
    );
  }
  if (missing.length >= FEWEST_MISSING && !commands.some(removesFiles)) {
    const tracked = zeroSeparated(
      (await askGit(worktree, ["ls-tree", "-r", "-z", "--name-only", "HEAD"])) ?? "",
    );
    if (missing.length * 2 > tracked.length) {
      throw new Unfit(
        `${missing.length} of ${tracked.length} tracked files are missing in ${worktree}, ${some(missing)} among them, ` +
          "and no command of the agent removed any. Nothing was committed. " +
          `\`git -C ${worktree} restore .\` brings them back; if they should go, commit that there by hand.`,
      );
    }
  }
  return changes;
}

async function submodulesOf(worktree: string): Promise<string[]> {
  const paths = [
    "config",
    "--file",
    join(worktree, ".gitmodules"),
    "-z",
    "--get-regexp",
    "^submodule\\..*\\.path$",
  ];
  const found = zeroSeparated((await askGit(worktree, paths)) ?? "");
  return found.map((entry) => entry.slice(entry.indexOf("\n") + 1));
}

function some(paths: string[]): string {
  const [first = ""] = paths;
  return paths.length > 1 ? `${first} (and ${paths.length - 1} more)` : first;
}

const realPath = (path: string) => realpath(path).catch(() => undefined);
