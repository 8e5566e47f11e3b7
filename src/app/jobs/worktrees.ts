import { leavesOf } from "../../job/job.ts";
import type { Finding } from "../../jobs/end/janitor.ts";
import { leftoverOf } from "../../jobs/end/leftovers.ts";
import { isClaimed, jobsThatLeave } from "../../store/jobs.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";

export type WorktreeView = ReturnType<typeof worktreeView>;

/** The worktrees and branches that jobs have: what is in the store's own ledger, as nothing else is Baton's. */
export async function worktreesOf(project: Project): Promise<WorktreeView[]> {
  if (!hasStore(project)) return [];
  const { maintenance } = await configOf(project);
  await using store = await lookIntoStore(project);
  const now = new Date();
  const jobs = await jobsThatLeave(store);
  return await Promise.all(
    jobs.map(async (job) => {
      const leftover = leftoverOf(job, await isClaimed(store, job.id), maintenance.worktreeCleanup, now);
      return worktreeView({ job, leftover });
    }),
  );
}

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
