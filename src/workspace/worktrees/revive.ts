import { askGit, git } from "../../git/git.ts";
import { isOwnCheckpoint, listCheckpoints } from "../checkpoint.ts";
import { WorkspaceError, type WorkspaceRecord } from "../workspace.ts";
import type { Repository } from "./repository.ts";

/** Whether a worktree that is only half made was being brought back: then its job has worked before. */
export async function hasWork(repo: Repository, job: string): Promise<boolean> {
  return (await listCheckpoints(repo.root, job)).length > 0;
}

/** Where the branch of a cleared worktree begins again: null where it is still there. */
export async function startOfRevival(
  repo: Repository,
  job: string,
  { branch, pushed, base }: WorkspaceRecord,
): Promise<string | null> {
  if (branch !== null && (await commitAt(repo, `refs/heads/${branch}`))) return null;
  const newest = (await listCheckpoints(repo.root, job)).at(-1);
  const head =
    newest && ((await isOwnCheckpoint(repo.root, newest.commit)) ? `${newest.commit}^` : newest.commit);
  for (const candidate of [head, pushed, base]) {
    const commit = candidate && (await commitAt(repo, candidate));
    if (commit) return commit;
  }
  throw new WorkspaceError(
    `Neither the branch ${branch} of ${job} nor a checkpoint of it is left in ${repo.root}.\nStart another job with \`baton run\`.`,
  );
}

/** What was not committed when the worktree was removed comes back uncommitted. */
export async function restoreUncommitted(repo: Repository, job: string, path: string): Promise<void> {
  const newest = (await listCheckpoints(repo.root, job)).at(-1);
  if (!newest || !(await isOwnCheckpoint(repo.root, newest.commit))) return;
  const [head, parent] = await Promise.all([
    commitAt(repo, `${newest.commit}^`),
    askGit(path, ["rev-parse", "HEAD"]),
  ]);
  // The branch has moved since: whoever moved it had the last word.
  if (head === undefined || head !== parent) return;
  // Also where both are empty, of which git would find no file to restore.
  if ((await treeAt(path, newest.commit)) === (await treeAt(path, "HEAD"))) return;
  await git(path, ["restore", `--source=${newest.commit}`, "--worktree", "--", ":/"]);
}

function commitAt(repo: Repository, revision: string): Promise<string | undefined> {
  return askGit(repo.root, ["rev-parse", "--verify", "--quiet", `${revision}^{commit}`]);
}

function treeAt(path: string, revision: string): Promise<string | undefined> {
  return askGit(path, ["rev-parse", "--verify", `${revision}^{tree}`]);
}
