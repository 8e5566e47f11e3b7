import { askGit, git } from "../../git/git.ts";
import { readRemoteRef } from "../../git/remote-ref.ts";

/** What becomes of the branch of a worktree that goes. */
export type BranchFate =
  | { kind: "none" }
  /** It may be deleted, as long as it is at this commit. */
  | { kind: "delete"; at: string }
  | { kind: "keep"; reason: string };

interface Wanted {
  repo: string;
  branch: string | null;
  base: string | null;
  remote?: string;
  neverReady?: boolean;
}

const REMOTE_LIMIT_MS = 30_000;

/** A branch goes only with what is elsewhere: it has nothing of its own, or its remote has just the same. */
export async function fateOfBranch(
  { repo, branch, base, remote, neverReady }: Wanted,
  checkedOut: { branch?: string; head?: string },
): Promise<BranchFate> {
  if (branch === null) return { kind: "none" };
  const { head } = checkedOut;
  const at = checkedOut.branch === branch ? head : await commitOf(repo, branch);
  if (at === undefined) return { kind: "none" };
  const keep = (why: string): BranchFate => ({ kind: "keep", reason: `The branch ${branch} stays: ${why}.` });
  if (neverReady) return at === base ? { kind: "delete", at } : keep("it is not where Baton made it begin");
  if (at !== head) return keep(`it is at ${short(at)}, and the worktree was at ${short(head)}`);
  const own = at === base ? 0 : await countCommits(repo, base, at);
  if (own === 0) return { kind: "delete", at };
  if (remote === undefined) return keep(`${commitsAre(own)} nowhere else, as there is no remote`);
  const there = await readRemoteRef(repo, remote, branch, { timeoutMs: REMOTE_LIMIT_MS });
  if (there.kind === "unreachable") {
    return keep(`${remote} cannot be reached: ${there.said.split("\n")[0] ?? ""}`);
  }
  if (there.commit === at) return { kind: "delete", at };
  const missing = there.commit === undefined ? own : ((await countCommits(repo, there.commit, at)) ?? own);
  if (missing === 0) return keep(`${remote} has other commits on it`);
  return keep(`${commitsAre(missing)} not on ${remote}`);
}

/** Undefined where there is no such branch. */
export async function commitOf(repo: string, branch: string): Promise<string | undefined> {
  return askGit(repo, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
}

/** Undefined where `from` is not known here. */
async function countCommits(repo: string, from: string | null, to: string): Promise<number | undefined> {
  if (from === null) return undefined;
  const count = await git(repo, ["rev-list", "--count", `${from}..${to}`]).catch(() => undefined);
  return count === undefined ? undefined : Number(count);
}

function commitsAre(count: number | undefined): string {
  if (count === undefined) return "its commits are";
  return count === 1 ? "1 commit is" : `${count} commits are`;
}

function short(commit: string | undefined): string {
  return commit?.slice(0, 12) ?? "no commit";
}
