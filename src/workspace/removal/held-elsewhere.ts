import { askGit, git, tryGit } from "../../git/git.ts";
import { fetchRemote, type Repository } from "../worktrees/repository.ts";
import { isAncestor, isMerged } from "./merged.ts";

/** What of a job went out. */
export interface Pushed {
  commit: string;
  branch: string;
  /** The commit that the work is counted from, and the branch that it is to be merged into. */
  base: string;
  baseBranch: string;
}

const REMOTE_LIMIT_MS = 30_000;

/** The branches of a remote as it has them now, each with its commit. Undefined where it cannot be asked. */
export async function remoteBranches(
  repo: Repository,
  signal: AbortSignal,
): Promise<Map<string, string> | undefined> {
  const { root, remote } = repo;
  if (remote === undefined) return undefined;
  const run = await tryGit(root, ["ls-remote", "--heads", "--", remote], {
    timeoutMs: REMOTE_LIMIT_MS,
    signal,
  });
  if (!run.ok) return undefined;
  const heads = new Map<string, string>();
  for (const line of run.stdout.split("\n")) {
    const [commit = "", ref = ""] = line.split("\t");
    if (ref.startsWith("refs/heads/")) heads.set(ref.slice("refs/heads/".length), commit);
  }
  // What is compared with has to be here.
  const known = await Promise.all([...new Set(heads.values())].map((commit) => isHere(root, commit)));
  if (known.includes(false)) await fetchRemote(repo, signal);
  return heads;
}

/** Those of the remote's commits, now, that have what was pushed: on its branch, or merged into the base branch. */
export async function commitsWith(root: string, pushed: Pushed, heads: ReadonlyMap<string, string>) {
  const found: string[] = [];
  const own = heads.get(pushed.branch);
  const target = heads.get(pushed.baseBranch);
  if (own && (await isHere(root, own)) && (await isAncestor(root, pushed.commit, own))) found.push(own);
  if (target && (await isHere(root, target)) && (await isMerged(root, pushed.commit, pushed.base, target)))
    found.push(target);
  return found;
}

/**
 * Whether every file that a checkpoint has and the base has not, in its tree or in a commit below it, is in the history
 * of one of these commits, byte for byte. False also where that cannot be told.
 */
export async function isHeldBy(
  root: string,
  checkpoint: string,
  base: string,
  commits: readonly string[],
): Promise<boolean> {
  try {
    const added = await filesSince(root, base, checkpoint);
    for (const commit of commits) {
      if (!(await isAncestor(root, base, commit))) continue;
      const held = new Set(await filesSince(root, base, commit));
      if (added.every((file) => held.has(file))) return true;
    }
    return false;
  } catch {
    return false;
  }
}

/** The contents that came with the commits after `base`. Git may list one that was there before, and leaves none out. */
async function filesSince(root: string, base: string, commit: string): Promise<string[]> {
  const objects = await git(root, ["rev-list", "--objects", "--no-object-names", commit, `^${base}`]);
  if (objects === "") return [];
  const form = "--batch-check=%(objecttype) %(objectname)";
  const kinds = await git(root, ["cat-file", form], { input: `${objects}\n` });
  return kinds.split("\n").flatMap((line) => (line.startsWith("blob ") ? [line.slice("blob ".length)] : []));
}

async function isHere(root: string, commit: string): Promise<boolean> {
  return (await askGit(root, ["rev-parse", "--verify", "--quiet", `${commit}^{commit}`])) !== undefined;
}
