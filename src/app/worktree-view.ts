import { leavesOf } from "../job/job.ts";
import type { Finding } from "../jobs/end/janitor.ts";

export type WorktreeView = ReturnType<typeof worktreeView>;

/** What `--json` prints: its keys are a promise to users. */
export function worktreeView({ job, leftover, done }: Finding) {
  const { id, status, workspace } = job;
  return {
    job: id,
    status,
    has: leavesOf(job),
    path: workspace?.path,
    branch: workspace?.branch,
    base: workspace?.base,
    baseBranch: workspace?.baseBranch,
    repo: workspace?.repo,
    ports: workspace?.ports,
    action: leftover.action,
    reason: leftover.reason,
    ...(done && { done }),
  };
}
