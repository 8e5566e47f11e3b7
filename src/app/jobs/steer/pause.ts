import type { JobEvent } from "../../../job/events.ts";
import { isAtWork, type Job } from "../../../job/job.ts";
import { Journal } from "../../../jobs/journal.ts";
import { PAUSE_REQUESTED } from "../../../jobs/run/leg-end.ts";
import { thisProcess } from "../../../processes/owner.ts";
import { claimJob } from "../../../store/claims.ts";
import { findJob, getJob } from "../../../store/jobs.ts";
import { leaveQueue } from "../../../store/queue.ts";
import { sendRequest } from "../../../store/requests.ts";
import type { Store } from "../../../store/store.ts";
import { UsageError } from "../../usage-error.ts";
import { followed } from "../follow.ts";

/** `asked`: it pauses at its next boundary. `paused`: it has. */
export interface Paused {
  state: "asked" | "paused";
  job: Job;
}

/**
 * Has a job rest at its next boundary, whichever process runs it; one that waits in the queue, at once. `wait`: returns only
 * when it rests. What was asked for holds when `signal` is aborted, too.
 */
export async function pauseById(
  store: Store,
  named: string,
  { wait = false, signal }: { wait?: boolean; signal?: AbortSignal } = {},
): Promise<Paused> {
  const job = await findJob(store, named);
  if (job.status === "paused") return { state: "paused", job };
  if (job.status === "queued") return { state: "paused", job: await pauseQueued(store, job.id) };
  if (job.pauseRequested && !wait) return { state: "asked", job };
  if (!isAtWork(job)) throw new UsageError(`${job.id} is ${job.status}, so there is nothing to pause.`);
  await sendRequest(store, job.id, { kind: "pause", payload: null, at: new Date().toISOString() });
  for await (const event of followed(store, job.id, job.seq, signal)) {
    if (event.type === "pause:refused") throw new UsageError(`${job.id} is not paused: ${event.message}.`);
    if (event.type === "pause:requested" && !wait) break;
  }
  const now = await getJob(store, job.id);
  if (now.status === "paused") return { state: "paused", job: now };
  if (isAtWork(now)) return { state: "asked", job: now };
  throw new UsageError(`${job.id} is ${now.status}: it ended before it could be paused.`);
}

const ASKED = { code: "requested", message: PAUSE_REQUESTED } as const;

/** Refused while somebody owns it: then it has just been started. One that ended meanwhile is left as it is. */
export async function pauseQueued(
  store: Store,
  id: string,
  why: Pick<Extract<JobEvent, { type: "job:paused" }>, "code" | "message"> = ASKED,
): Promise<Job> {
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  if (journal.job.status !== "queued") return journal.job;
  await journal.record({ type: "job:paused", ...why });
  await leaveQueue(store, id);
  return journal.job;
}
