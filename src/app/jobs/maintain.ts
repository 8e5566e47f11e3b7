import type { Config } from "../../config/config.ts";
import { maintain } from "../../jobs/end/maintenance.ts";
import { removeScratch, scratchLeft } from "../../jobs/end/scratch-left.ts";
import { jobsThatLeave } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { straysOf, type WorktreeView, worktreeView } from "./worktrees.ts";

export interface Maintained {
  /** What jobs left, and what was done about it. Worktrees of jobs that nobody knows are only named. */
  worktrees: WorktreeView[];
  /** Of jobs that completed long ago, whose work the remote has. */
  checkpoints: { job: string; refs: string[] }[];
  expiredSessions: number;
  /** Jobs whose journals were compacted. */
  compacted: { job: string; events: number }[];
  /** Temporary folders and files of processes that were killed. */
  temporary: string[];
}

/** Removes what ended jobs left, as far as that is safe. Undefined where another process is at it. */
export async function maintainJobs(
  store: Store,
  config: Pick<Config, "maintenance" | "agents">,
  { dryRun, signal }: { dryRun: boolean; signal: AbortSignal },
): Promise<Maintained | undefined> {
  const { maintenance, agents } = config;
  const folders = agents.map(({ workspace }) => workspace.worktreeDir);
  const found = await maintain(store, maintenance, { dryRun, signal, now: () => new Date(), folders });
  if (!found) return undefined;
  const strays = await straysOf(config, await jobsThatLeave(store));
  return {
    worktrees: [...found.worktrees.map(worktreeView), ...strays],
    checkpoints: found.checkpoints,
    expiredSessions: found.expiredSessions,
    compacted: found.compacted,
    temporary: dryRun ? scratchLeft(agents) : removeScratch(agents),
  };
}
