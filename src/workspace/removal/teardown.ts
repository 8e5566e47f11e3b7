import type { AgentConfig } from "../../config/config.ts";
import { leaveIgnored } from "../ignored/leave.ts";
import { publish } from "../publish/publish.ts";
import type { Outcome, Teardown, Workspace, WorkspaceJob, WorkspaceRecord } from "../workspace.ts";
import { type Repository, repositoryAt } from "../worktrees/repository.ts";
import { notOurPlace } from "./own-place.ts";
import { finishRemoval, type Removal, type RemovalResult, removeWorktree } from "./remove.ts";

type ClosingConfig = Pick<AgentConfig, "workingDirectory" | "repository" | "workspace" | "session">;

/** Publishes the work of a job that completed, then clears its worktree away as far as that is safe. */
export async function closeWorktree(
  job: WorkspaceJob,
  workspace: Workspace,
  config: ClosingConfig,
  outcome: Outcome,
): Promise<Teardown> {
  const { path, branch, base, worktree } = workspace;
  if (!worktree || branch === undefined || base === undefined) return {};
  const repo = await repositoryAt(worktree.repo);
  const keep = async (reason: string): Promise<Teardown> => {
    await job.record({ type: "workspace:kept", reason });
    return {};
  };
  if (outcome.kind !== "completed") {
    if (!config.workspace.cleanupOnFailure)
      return keep(`the job ${outcome.kind}, and cleanup_on_failure is off`);
    await clear(job, repo, { path, branch, base });
    return {};
  }
  const published = await publish(
    job,
    { path, branch, base, worktree },
    repo.remote,
    config.workspace,
    outcome,
  );
  switch (published.kind) {
    case "nothing":
      break;
    case "refused":
      await keep(published.reason);
      return { failure: published.reason };
    case "published": {
      if (published.pushFailure === undefined) break;
      const failure = `${published.branch} could not be pushed: ${published.pushFailure}`;
      if (config.workspace.onPushFailure !== "warn") {
        await keep(failure);
        return {
          failure: `${failure}\nThe work is committed there. \`baton resume ${job.id}\` tries the push again.`,
        };
      }
      job.warn(failure);
    }
  }
  if (config.session.mode === "persistent" && job.workItem) {
    return keep(`for the next job on ${job.workItem.id}, which continues in its session`);
  }
  await clear(job, repo, { path, branch, base });
  return {};
}

/** Removes a worktree through the gate and records how that went. */
export async function clear(
  job: WorkspaceJob,
  repo: Repository,
  { path, branch, base }: { path: string; branch: string | null; base: string | null },
  neverReady = false,
): Promise<RemovalResult> {
  const foreign = await notOurPlace({ path, job: job.id });
  if (foreign !== undefined) return recorded(job, { removed: false, reason: foreign });
  const result = await removeWorktree(
    removalOf(job, repo, { path, branch, base }, neverReady),
    {
      removing: (plan) =>
        job.record({ type: "workspace:removing", ...plan, ...(neverReady && { halfMade: true }) }),
      endProcesses: job.endProcesses,
      leaveIgnored: (worktree) => leaveIgnored(job, { worktree, root: repo.root }),
      checkpointed: job.checkpointed,
    },
    { signal: job.lost },
  );
  return recorded(job, result);
}

/** Continues a removal that was cut off. */
export async function finishRemoving(
  job: WorkspaceJob,
  repo: Repository,
  before: WorkspaceRecord,
): Promise<RemovalResult> {
  const { trash, deleteBranch } = before;
  const foreign = await notOurPlace({ path: before.path, job: job.id, trash });
  if (foreign !== undefined) return recorded(job, { removed: false, reason: foreign });
  const removal = removalOf(job, repo, before, before.halfMade);
  const result = await finishRemoval(
    { ...removal, trash: trash ?? "", deleteBranch },
    { leaveIgnored: (worktree) => leaveIgnored(job, { worktree, root: repo.root }) },
    { signal: job.lost },
  );
  return recorded(job, result);
}

/** A worktree in which no session has begun: what is there, Baton put there. */
export async function discardHalfMade(
  job: WorkspaceJob,
  repo: Repository,
  half: WorkspaceRecord,
): Promise<void> {
  const { path, branch, base, takenUp } = half;
  await clear(job, repo, { path, branch: takenUp ? null : branch, base }, true);
}

function removalOf(
  job: WorkspaceJob,
  { root, remote }: Repository,
  { path, branch, base }: { path: string; branch: string | null; base: string | null },
  neverReady: boolean,
): Removal {
  return { repo: root, path, branch, base, job: job.id, neverReady, ...(remote !== undefined && { remote }) };
}

async function recorded(job: WorkspaceJob, result: RemovalResult): Promise<RemovalResult> {
  if (!result.removed) {
    await job.record({ type: "workspace:kept", reason: result.reason });
    return result;
  }
  const { branchKept, reason } = result;
  await job.record({ type: "workspace:removed", branchKept, ...(reason !== undefined && { reason }) });
  return result;
}
