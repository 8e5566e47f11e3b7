import type { Chosen } from "../config/chosen.ts";
import type { AgentConfig } from "../config/config.ts";
import { recordable } from "../config/recordable.ts";
import type { Continued, Parent } from "../job/events.ts";
import { createJob } from "../store/jobs.ts";
import { createQueuedJob, type Wanted } from "../store/queue.ts";
import type { Store } from "../store/store.ts";
import type { WorkItem } from "../workspace/workspace.ts";
import { newJobId } from "./new-id.ts";

export interface JobOrigin {
  /** Where the job's configuration comes from: a resume reads it there again. */
  path?: string;
  epic?: string;
  workItem?: WorkItem;
  schedule?: string;
  continues?: Continued;
  /** By the user, for this job alone. */
  chosen?: Chosen;
  /** A person takes part in it. */
  attended?: true;
  /** The session of a person's that starts it. */
  startedBy?: string;
  /** The job that it is a retry or a fork of. */
  parent?: Parent;
}

/** Puts a job on record and says its id. `queued`: and into the queue of the fleet, in one step. */
export async function newJob(
  store: Store,
  { path: configPath, epic, workItem, schedule, continues, chosen, attended, startedBy, parent }: JobOrigin,
  agent: AgentConfig,
  prompt: string,
  id = newJobId(),
  queued?: Wanted,
): Promise<string> {
  const origin = {
    ...(configPath && { configPath }),
    ...(epic && { epic }),
    ...(workItem && { workItem }),
    ...(schedule && { schedule }),
    ...(continues && { continues }),
    ...(chosen && { chosen }),
    ...(attended && { attended }),
    ...(startedBy && { startedBy }),
    ...(parent && { parent }),
  };
  const agentConfig = recordable(agent);
  const created = { type: "job:created" as const, agent: agent.name, prompt, ...origin, agentConfig };
  if (queued) await createQueuedJob(store, id, created, queued, new Date());
  else await createJob(store, id, created, new Date());
  return id;
}
