import type { MaintenanceConfig } from "../../config/config.ts";
import type { Job } from "../../job/job.ts";
import type { WorkspaceRecord } from "../../workspace/workspace.ts";

/** What to do about what a job left, and why. */
export type Leftover =
  /** It was cut off while its workspace was being closed. */
  | { action: "finish"; reason: string }
  /** Its worktree is only half made, and no session has seen it. */
  | { action: "discard"; reason: string }
  | { action: "remove"; reason: string }
  /** Its removal was cut off. */
  | { action: "go-on-removing"; reason: string }
  /** Only its branch is left: it goes when its work is merged; unmerged only where the user said so. */
  | { action: "look-at-branch"; reason: string; evenUnmerged: boolean }
  | { action: "keep"; reason: string };

export interface Seen {
  /** Its process lives, or may: its worktree is in use. */
  claimed: boolean;
  /** Somebody has deleted the folder of its worktree. */
  folderGone: boolean;
}

export function leftoverOf(
  job: Job,
  { claimed, folderGone }: Seen,
  { maxWorktreeAgeMs, pruneUnmergedBranches }: MaintenanceConfig["worktreeCleanup"],
  now: Date,
): Leftover {
  const { workspace, status, closing } = job;
  if (workspace === null) return { action: "keep", reason: "it has no worktree" };
  if (claimed) return { action: "keep", reason: "its job is at work" };
  const age = now.getTime() - Date.parse(job.finishedAt ?? job.updatedAt);
  const isOld = age >= maxWorktreeAgeMs;
  const isOver = status === "completed" || status === "failed" || status === "cancelled";
  if (!isOver && closing) return { action: "finish", reason: "its job was cut off while it ended" };
  if (workspace.state === "removing") return { action: "go-on-removing", reason: "its removal was cut off" };
  if (workspace.state === "removed") {
    const evenUnmerged = pruneUnmergedBranches && isOld;
    return { action: "look-at-branch", reason: workspace.reason ?? "its branch was kept", evenUnmerged };
  }
  if (workspace.state === "creating") {
    return { action: "discard", reason: workspace.reason ?? "it was never finished" };
  }
  if (folderGone) return { action: "remove", reason: "its folder is gone" };
  if (!isOver) return restingLeftover(job, workspace, isOld);
  if (workspace.state === "ready") return { action: "remove", reason: `its job is ${status}` };
  const { mode, timeoutMs = 0 } = job.agentConfig?.session ?? {};
  const waits = status === "completed" && mode === "persistent";
  if (waits && age >= timeoutMs) return { action: "remove", reason: "its session is too old to continue" };
  if (isOld)
    return { action: "remove", reason: `its job is ${status}, and it is older than max_worktree_age` };
  const reason = workspace.reason ?? `its job is ${status}`;
  return { action: waits || isForTheUser(job) ? "keep" : "remove", reason };
}

/** Whoever resumes the job gets its worktree back from its branch and its checkpoint. */
function restingLeftover({ id, status }: Job, workspace: WorkspaceRecord, isOld: boolean): Leftover {
  // It was too old before, and could not go then. Had anybody worked in it since, it would be ready again.
  if (workspace.state === "kept") return { action: "remove", reason: workspace.reason ?? "it is too old" };
  if (!isOld) return { action: "keep", reason: `its job is ${status}: resume it, or cancel it` };
  const reason = `its job is ${status}, and it is older than max_worktree_age: \`baton resume ${id}\` brings it back`;
  return { action: "remove", reason };
}

/** Kept so that the user can do something in it. Any other was to go and could not: it is tried again. */
function isForTheUser({ status, closing, agentConfig }: Job): boolean {
  if (status === "completed") return false;
  return closing?.outcome === "completed" || agentConfig?.workspace?.cleanupOnFailure === false;
}
