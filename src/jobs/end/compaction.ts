import type { MaintenanceConfig } from "../../config/config.ts";
import { leavesOf } from "../../job/job.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob, JobOwnedError, releaseJob } from "../../store/claims.ts";
import { compactEvents, countCompactable, endedBefore } from "../../store/compaction.ts";
import { getJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { removeLog } from "../background-log.ts";

/** A job whose journal was compacted, and how many events went. */
export interface Compacted {
  job: string;
  events: number;
}

interface CompactionOptions {
  dryRun: boolean;
  signal: AbortSignal;
  now: () => Date;
}

/**
 * Compacts the journals of jobs that ended long ago, and removes what those in the background printed. Documents, checkpoints and branches are not touched; a job that still has
 * a worktree, or a branch of one, is left whole, because it may be resumed.
 */
export async function compactJournals(
  store: Store,
  { maxAgeMs, keep }: MaintenanceConfig["jobCleanup"],
  { dryRun, signal, now }: CompactionOptions,
): Promise<Compacted[]> {
  if (maxAgeMs === undefined) return [];
  const done: Compacted[] = [];
  for (const { id } of await endedBefore(store, new Date(now().getTime() - maxAgeMs), keep)) {
    if (signal.aborted) break;
    const job = await getJob(store, id);
    if (job.compacted) continue;
    const events = dryRun ? await countCompactable(store, job) : await compact(store, id, now());
    if (events !== undefined) done.push({ job: id, events });
  }
  return done;
}

/** Undefined where somebody has picked the job up meanwhile. */
async function compact(store: Store, id: string, now: Date): Promise<number | undefined> {
  try {
    const claim = await claimJob(store, id, thisProcess(), now);
    try {
      const { finishedAt, compacted } = claim.job;
      if (finishedAt === null || compacted || leavesOf(claim.job) !== null) return undefined;
      // It says again what the events say. Killed in between, the journal still says it.
      await removeLog(claim.job);
      return await compactEvents(store, claim, now);
    } finally {
      await releaseJob(store, id, claim.attempt);
    }
  } catch (error) {
    if (error instanceof JobOwnedError) return undefined;
    throw error;
  }
}
