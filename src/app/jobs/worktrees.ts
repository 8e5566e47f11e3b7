import type { Config } from "../../config/config.ts";
import { type FolderSize, folderSize } from "../../files/folder-size.ts";
import { type Job, type JobStatus, leavesOf } from "../../job/job.ts";
import { type Finding, seenOf } from "../../jobs/end/janitor.ts";
import { leftoverOf } from "../../jobs/end/leftovers.ts";
import { jobsThatLeave } from "../../store/jobs.ts";
import { type Stray, strayWorktrees } from "../../workspace/worktrees/strays.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";

/** What `--json` prints: its keys are a promise to users. */
export interface WorktreeView {
  job: string;
  /** `unknown`: the lock of the worktree names this job, and no record does. */
  status: JobStatus | "unknown";
  has: "worktree" | "branch" | null;
  path: string | undefined;
  branch: string | null | undefined;
  base: string | null | undefined;
  baseBranch: string | null | undefined;
  repo: string | null | undefined;
  ports: number[] | undefined;
  action: Finding["leftover"]["action"];
  reason: string;
  /** Where somebody asked for it. */
  size?: FolderSize;
  done?: { ok: boolean; said: string };
}

/**
 * The worktrees and branches that jobs have: what is in the store's own ledger, as nothing else is Baton's to touch, and
 * those whose lock names a job that is not in there.
 */
export async function worktreesOf(project: Project): Promise<WorktreeView[]> {
  const config = await configOf(project);
  if (!hasStore(project)) return straysOf(config, []);
  await using store = await lookIntoStore(project);
  const now = new Date();
  const jobs = await jobsThatLeave(store);
  const ours = await Promise.all(
    jobs.map(async (job) => {
      const { worktreeCleanup } = config.maintenance;
      return worktreeView({ job, leftover: leftoverOf(job, await seenOf(store, job), worktreeCleanup, now) });
    }),
  );
  return [...ours, ...(await straysOf(config, jobs))];
}

/** One after the other: the disk is the same. */
export async function withSizes(views: readonly WorktreeView[]): Promise<WorktreeView[]> {
  const measured: WorktreeView[] = [];
  for (const view of views) {
    const isThere = view.has === "worktree" && view.path !== undefined;
    measured.push(isThere ? { ...view, size: await folderSize(view.path ?? "") } : view);
  }
  return measured;
}

/** In the repositories that the configuration names, and in no other: a store may have been written by anybody. */
export async function straysOf(
  { agents }: Pick<Config, "agents">,
  jobs: readonly Job[],
): Promise<WorktreeView[]> {
  const folders = agents
    .filter(({ workspace }) => workspace.strategy === "git_worktree")
    .map(({ workingDirectory }) => workingDirectory);
  const known = new Set(jobs.flatMap(({ workspace }) => workspace?.path ?? []));
  const found = new Map<string, Stray>();
  for (const folder of new Set(folders)) {
    const strays = await strayWorktrees(folder, known).catch(() => []);
    for (const stray of strays) found.set(stray.path, stray);
  }
  return [...found.values()].map(strayView);
}

export function worktreeView({ job, leftover, done }: Finding): WorktreeView {
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

function strayView({ job, path, branch, repo, reason }: Stray): WorktreeView {
  const nothingKnown = { base: null, baseBranch: null, ports: [] };
  return {
    job,
    status: "unknown",
    has: "worktree",
    path,
    branch,
    repo,
    ...nothingKnown,
    action: "keep",
    reason,
  };
}
