import type { Job } from "../../job/job.ts";
import { JobOwnedError } from "../../store/claims.ts";
import { fleetOf } from "../../store/fleet/fleets.ts";
import { queueAgain } from "../../store/queue.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import type { Project } from "../project.ts";

const ANSWERED = "what it asked is answered";

/** Has the fleet continue a job that rested for an answer: true where it will, or somebody has the job already. */
export async function letContinue({ root }: Project, store: Store, job: Job): Promise<boolean> {
  using state = lookIntoFleetState();
  const runs = state !== undefined && fleetOf(state, root) !== undefined;
  // One that never was in the queue is the user's own to continue, unless there is a fleet that can.
  if (!runs && !job.queued) return false;
  const wanted = { priority: job.queued?.priority ?? 0 };
  try {
    await queueAgain(store, job.id, { wanted, message: ANSWERED }, new Date());
    return true;
  } catch (error) {
    if (error instanceof JobOwnedError) return true;
    throw error;
  }
}
