import { type Job, leavesOf } from "../job/job.ts";
import { TIME_KINDS, type TimeKind, type TimeSplit } from "../job/time-split.ts";
import type { Tables, TimeColumns } from "./tables.ts";

/** What of a row is of its job from the beginning, or of the process that owns it. */
type Apart = "number" | "id" | "agent" | "created_at" | "attempt" | "owner" | "hears";

/** What of a job's row changes with its events. Who writes an event writes all of it, in the same transaction. */
export function rowOfJob(job: Job): Omit<Tables["jobs"], Apart> {
  const { costBasis, turns, usage, costUsd, simulatedUsd = 0, time } = job;
  return {
    seq: job.seq,
    status: job.status,
    updated_at: job.updatedAt,
    finished_at: job.finishedAt,
    epic: job.epic,
    parent: job.parent?.job ?? null,
    handoffs: job.handoffs.length,
    leaves: leavesOf(job),
    cost_basis: costBasis,
    turns,
    input: usage.input,
    output: usage.output,
    cache_read: usage.cacheRead,
    cache_write: usage.cacheWrite,
    cost_usd: costUsd,
    simulated_usd: simulatedUsd,
    timed: time ? 1 : 0,
    ...timeColumns(time?.split ?? {}),
    figures_of: job.seq,
    snapshot: JSON.stringify(job),
  };
}

function timeColumns(split: TimeSplit): TimeColumns {
  return {
    model_ms: whole(split.model),
    tools_ms: whole(split.tools),
    handoffs_ms: whole(split.handoffs),
    setup_ms: whole(split.setup),
    slot_ms: whole(split.slot),
    limit_ms: whole(split.limit),
    retries_ms: whole(split.retries),
    person_ms: whole(split.person),
    stopped_ms: whole(split.stopped),
    asleep_ms: whole(split.asleep),
  };
}

const whole = (ms: number | undefined) => Math.round(ms ?? 0);

/** Only what took some. */
export function timeSplitIn(row: TimeColumns): TimeSplit {
  const took = TIME_KINDS.map((kind): [TimeKind, number] => [kind, row[`${kind}_ms`]]);
  return Object.fromEntries(took.filter(([, ms]) => ms > 0));
}
