import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "../../job/job.ts";
import { cancelJob } from "../../jobs/end/janitor.ts";
import { Journal } from "../../jobs/journal.ts";
import { endEarlierAttempts } from "../../jobs/run/spec.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob, JobOwnedError } from "../../store/claims.ts";
import { findJob } from "../../store/jobs.ts";
import { leaveQueue } from "../../store/queue.ts";
import { sendRequest } from "../../store/requests.ts";
import type { Store } from "../../store/store.ts";
import { UsageError } from "../usage-error.ts";

const POLL_MS = 100;
const PATIENCE_MS = 60_000;

/** Ends a job, whichever process runs it. One that was cancelled before is left as it is; one that has ended is refused. */
export async function cancelById(store: Store, named: string): Promise<Job> {
  const job = await findJob(store, named);
  if (job.status === "completed" || job.status === "failed") {
    throw new UsageError(`${job.id} is ${job.status} already; there is nothing to cancel.`);
  }
  return job.status === "cancelled" ? job : cancelWherever(store, job.id);
}

/** The process that runs the job ends it; where there is none, or none any more, the job is ended here. */
async function cancelWherever(store: Store, id: string): Promise<Job> {
  const deadline = performance.now() + PATIENCE_MS;
  let asked: string | undefined;
  for (;;) {
    try {
      return await cancelHere(store, id);
    } catch (error) {
      if (!(error instanceof JobOwnedError)) throw error;
      const { pid, since } = error.owner;
      // One process can have it twice: what was asked of it the first time counts no more.
      if (asked !== since)
        await sendRequest(store, id, { kind: "cancel", payload: null, at: new Date().toISOString() });
      asked = since;
      if (performance.now() > deadline) {
        throw new Error(
          `Process ${pid}, which runs ${id}, did not end it within a minute. End it with: kill ${pid}`,
        );
      }
    }
    await sleep(POLL_MS);
  }
}

/** Refused while somebody owns the job. Whoever did may have ended it meanwhile. */
async function cancelHere(store: Store, id: string): Promise<Job> {
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  const { status } = journal.job;
  if (status === "cancelled" || status === "completed" || status === "failed") return journal.job;
  await endEarlierAttempts({ job: id, attempt: claim.attempt });
  await cancelJob(journal, "by `baton cancel`");
  await leaveQueue(store, id);
  return journal.job;
}
