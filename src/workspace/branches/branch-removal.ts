import { askGit, git } from "../../git/git.ts";
import { registeredWorktrees } from "../../git/registered-worktrees.ts";
import { readRemoteRef } from "../../git/remote-ref.ts";
import { keepCommit } from "../checkpoint.ts";
import { isMerged } from "../removal/merged.ts";
import type { WorkspaceJob, WorkspaceRecord } from "../workspace.ts";
import { baseOf, type Repository } from "../worktrees/repository.ts";
import { commitOf } from "./branch-fate.ts";

/**
 * Deletes the branch that a worktree left when its work has arrived elsewhere; with `evenUnmerged` also when it has
 * not, and then a checkpoint keeps it. Says what came of it.
 */
export async function deleteMergedBranch(
  job: WorkspaceJob,
  repo: Repository,
  { branch, base, pushed }: WorkspaceRecord,
  config: { repository: { defaultBranch?: string } },
  evenUnmerged: boolean,
): Promise<string> {
  const gone = async (said: string) => {
    await job.record({ type: "workspace:removed", branchKept: false, reason: said });
    return said;
  };
  if (branch === null) return gone("it had no branch");
  const ref = `refs/heads/${branch}`;
  const commit = await commitOf(repo.root, branch);
  if (commit === undefined) return gone(`${branch} is gone already`);
  const holder = (await registeredWorktrees(repo.root)).find((worktree) => worktree.branch === branch);
  if (holder) return `${branch} is checked out in ${holder.path}`;
  const target = await baseOf(repo, config.repository.defaultBranch);
  const began = (await askGit(repo.root, ["merge-base", target.commit, commit])) ?? base ?? target.commit;
  if (await isMerged(repo.root, commit, began, target.commit)) {
    await git(repo.root, ["update-ref", "-d", ref, commit]);
    return gone(`${branch} was deleted: its work is in ${target.branch}`);
  }
  if (pushed === commit && (await isOnRemote(repo, branch, commit))) {
    await git(repo.root, ["update-ref", "-d", ref, commit]);
    return gone(`${branch} was deleted here: ${repo.remote} has it`);
  }
  if (!evenUnmerged) return `${branch} holds work that is not in ${target.branch}`;
  job.checkpointed(await keepCommit(repo.root, job.id, commit));
  await git(repo.root, ["update-ref", "-d", ref, commit]);
  return gone(`${branch} was deleted unmerged, as prune_unmerged_branches says; a checkpoint keeps it`);
}

async function isOnRemote(repo: Repository, branch: string, commit: string): Promise<boolean> {
  if (repo.remote === undefined) return false;
  const there = await readRemoteRef(repo.root, repo.remote, branch);
  return there.kind === "read" && there.commit === commit;
}
