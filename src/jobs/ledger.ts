import type { MaintenanceConfig } from "../config/config.ts";
import type { Job, JobStatus } from "../job/job.ts";
import { jobsThatLeave } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { sweepInterrupted } from "../store/sweep.ts";
import type { Ledger, LedgerEntry } from "../workspace/ledger.ts";
import type { WorkspaceRecord } from "../workspace/workspace.ts";
import { isDeleted } from "../workspace/worktrees/ownership.ts";
import { leftoverOf } from "./end/leftovers.ts";

type Cleanup = MaintenanceConfig["worktreeCleanup"];

/**
 * The worktrees of a store's jobs. `clear` and `passOn` change other jobs, so they come from whoever may claim those.
 * Without `cleanup` none is too old.
 */
export function storeLedger(
  store: Store,
  changes: Pick<Ledger, "clear" | "passOn">,
  cleanup: Cleanup | undefined,
): Ledger {
  return {
    async entries() {
      // A job whose process died is not at work, whatever it said last.
      await sweepInterrupted(store, new Date());
      const jobs = await jobsThatLeave(store);
      return (await Promise.all(jobs.map((job) => entryOf(job, cleanup)))).flat();
    },
    ...changes,
  };
}

async function entryOf(job: Job, cleanup: Cleanup | undefined): Promise<LedgerEntry[]> {
  const { id, status, workspace } = job;
  if (!workspace) return [];
  const at = standing[status];
  return [{ job: id, at: at !== "work" && (await isDue(job, workspace, cleanup)) ? "due" : at, workspace }];
}

async function isDue(
  job: Job,
  { path, state }: WorkspaceRecord,
  cleanup: Cleanup | undefined,
): Promise<boolean> {
  if (state !== "ready" && state !== "kept") return false;
  const folderGone = await isDeleted(path);
  if (folderGone || !cleanup?.enabled || standing[job.status] === "end") return folderGone;
  return leftoverOf(job, { claimed: false, folderGone }, cleanup, new Date()).action === "remove";
}

const standing: Record<JobStatus, LedgerEntry["at"]> = {
  created: "work",
  // What it has begun, it continues.
  queued: "work",
  running: "work",
  waiting: "work",
  paused: "rest",
  interrupted: "rest",
  completed: "end",
  failed: "end",
  cancelled: "end",
};
