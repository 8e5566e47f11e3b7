import { type Job, leavesOf } from "../job/job.ts";
import type { Tables } from "./tables.ts";

type FromJob =
  | "seq"
  | "status"
  | "updated_at"
  | "finished_at"
  | "epic"
  | "parent"
  | "handoffs"
  | "leaves"
  | "snapshot";

/** What of a job's row changes with its events. Who writes an event writes all of it, in the same transaction. */
export function rowOfJob(job: Job): Pick<Tables["jobs"], FromJob> {
  return {
    seq: job.seq,
    status: job.status,
    updated_at: job.updatedAt,
    finished_at: job.finishedAt,
    epic: job.epic,
    parent: job.parent?.job ?? null,
    handoffs: job.handoffs.length,
    leaves: leavesOf(job),
    snapshot: JSON.stringify(job),
  };
}
