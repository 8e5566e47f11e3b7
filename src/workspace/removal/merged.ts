import { AS_BATON, git, tryGit } from "../../git/git.ts";

/** A target that has gone on for longer than this is not searched to its beginning. */
const COMMITS_SEARCHED = 2_000;
const SEARCH_LIMIT_MS = 20_000;

/**
 * Whether all that `commit` adds to `base` is in `target`: merged, rebased, squashed, or nothing to begin with. This is
 * about commits only; what is uncommitted is for the caller to look at. False where it cannot be told in reasonable time.
 */
export async function isMerged(repo: string, commit: string, base: string, target: string): Promise<boolean> {
  if (await isAncestor(repo, commit, target)) return true;
  if (await isAncestor(repo, commit, base)) return true;
  const start = await startOfWork(repo, commit, base, target);
  if (start === undefined) return false;
  const [tree, before] = (await git(repo, ["rev-parse", `${commit}^{tree}`, `${start}^{tree}`])).split("\n");
  if (tree === undefined || tree === before) return true;
  if (await addsNothing(repo, commit, target)) return true;
  const limit = await limitOfSearch(repo, start, target);
  if (await everyPatchIsIn(repo, commit, start, target, limit)) return true;
  const squashed = await git(repo, ["commit-tree", tree, "-p", start, "-m", "All of it"], { env: LONG_AGO });
  return everyPatchIsIn(repo, squashed, start, target, limit);
}

/** The same every time, so that asking again leaves nothing new in the repository. */
const LONG_AGO = {
  ...AS_BATON,
  GIT_AUTHOR_DATE: "2000-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2000-01-01T00:00:00Z",
};

/** The base, or what of the target was merged into the work since. */
async function startOfWork(
  repo: string,
  commit: string,
  base: string,
  target: string,
): Promise<string | undefined> {
  const shared = await tryGit(repo, ["merge-base", commit, target]);
  if (!shared.ok) return (await isAncestor(repo, base, commit)) ? base : undefined;
  const mergeBase = shared.stdout.trim();
  const isLater = (await isAncestor(repo, mergeBase, base)) && (await isAncestor(repo, base, commit));
  return isLater ? base : mergeBase;
}

/** A merge into the target would change nothing there. */
async function addsNothing(repo: string, commit: string, target: string): Promise<boolean> {
  const run = await tryGit(repo, ["merge-tree", "--write-tree", "--no-messages", target, commit], {
    timeoutMs: SEARCH_LIMIT_MS,
  });
  return run.ok && run.stdout.trim() === (await git(repo, ["rev-parse", `${target}^{tree}`]));
}

async function limitOfSearch(repo: string, start: string, target: string): Promise<string[]> {
  const older = [`--skip=${COMMITS_SEARCHED}`, "--max-count=1", `${start}..${target}`];
  const found = await git(repo, ["rev-list", ...older]);
  return found === "" ? [] : [`^${found}`];
}

/** Merges have no patch to compare: work that has some is only recognised as a whole. */
async function everyPatchIsIn(
  repo: string,
  commit: string,
  start: string,
  target: string,
  limit: string[],
): Promise<boolean> {
  const merges = ["--min-parents=2", "--max-count=1", commit, `^${start}`, `^${target}`];
  if ((await git(repo, ["rev-list", ...merges])) !== "") return false;
  const missing = ["--cherry-pick", "--right-only", "--max-count=1", `${target}...${commit}`, `^${start}`];
  const run = await tryGit(repo, ["rev-list", ...missing, ...limit], { timeoutMs: SEARCH_LIMIT_MS });
  return run.ok && run.stdout.trim() === "";
}

export async function isAncestor(repo: string, commit: string, of: string): Promise<boolean> {
  return (await tryGit(repo, ["merge-base", "--is-ancestor", commit, of])).ok;
}
