import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "../job/job.ts";
import { jobView } from "../job/view.ts";
import { cancelJob } from "../jobs/end/janitor.ts";
import { Journal } from "../jobs/journal.ts";
import { endEarlierAttempts } from "../jobs/run/spec.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob, JobOwnedError } from "../store/claims.ts";
import { findJob } from "../store/jobs.ts";
import { sendRequest } from "../store/requests.ts";
import type { Store } from "../store/store.ts";
import { UsageError } from "./exit.ts";
import { findProject, openStoreOfJobs } from "./project.ts";

export interface CancelOptions {
  config?: string;
  json?: boolean;
}

const POLL_MS = 100;
const PATIENCE_MS = 60_000;

export async function cancel(id: string, options: CancelOptions): Promise<number> {
  await using store = await openStoreOfJobs(findProject(options));
  const job = await findJob(store, id);
  if (job.status === "completed" || job.status === "failed") {
    throw new UsageError(`${job.id} is ${job.status} already, so there is nothing to cancel.`);
  }
  const ended = job.status === "cancelled" ? job : await cancelled(store, job);
  if (options.json) console.log(JSON.stringify(jobView(ended)));
  else
    console.log(
      `${ended.id} is ${ended.status}. What was done stays as it is; \`baton resume ${ended.id}\` goes on.`,
    );
  return 0;
}

/** The process that runs the job ends it; where there is none, or none any more, the job is ended here. */
async function cancelled(store: Store, job: Job): Promise<Job> {
  const deadline = Date.now() + PATIENCE_MS;
  let asked: number | undefined;
  for (;;) {
    try {
      return await cancelHere(store, job);
    } catch (error) {
      if (!(error instanceof JobOwnedError)) throw error;
      const { pid } = error.owner;
      if (asked !== pid)
        await sendRequest(store, job.id, { kind: "cancel", payload: null, at: new Date().toISOString() });
      asked = pid;
      if (Date.now() > deadline) {
        throw new Error(
          `Process ${pid}, which runs ${job.id}, has not ended it within a minute. End it: kill ${pid}`,
        );
      }
    }
    await sleep(POLL_MS);
  }
}

/** Refused while somebody owns the job. Whoever did may have ended it meanwhile. */
async function cancelHere(store: Store, job: Job): Promise<Job> {
  const claim = await claimJob(store, job.id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  const { status } = journal.job;
  if (status === "cancelled" || status === "completed" || status === "failed") return journal.job;
  await endEarlierAttempts({ job: job.id, attempt: claim.attempt });
  await cancelJob(journal, "by `baton cancel`");
  return journal.job;
}
