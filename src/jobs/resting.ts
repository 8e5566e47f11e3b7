import type { Job } from "../job/job.ts";
import { allJobs } from "../store/job-list.ts";
import type { Store } from "../store/store.ts";

/** The newest job that has begun a work item with this agent, rests, and can be resumed. */
export async function restingOn(
  store: Store,
  { agent, workItem }: { agent: string; workItem: string },
): Promise<Job | undefined> {
  const found: Job[] = [];
  for (const status of ["interrupted", "paused"] as const) {
    for await (const job of allJobs(store, { status })) {
      if (job.workItem?.id !== workItem || job.agent !== agent) continue;
      found.push(job);
      break;
    }
  }
  return found.sort((a, b) => b.createdAt.localeCompare(a.createdAt))[0];
}
