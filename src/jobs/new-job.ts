import type { Chosen } from "../config/chosen.ts";
import type { AgentConfig } from "../config/config.ts";
import { recordable } from "../config/recordable.ts";
import type { Continued } from "../job/events.ts";
import { createJob } from "../store/jobs.ts";
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
}

/** Puts a job on record and says its id. */
export async function newJob(
  store: Store,
  { path: configPath, epic, workItem, schedule, continues, chosen, attended, startedBy }: JobOrigin,
  agent: AgentConfig,
  prompt: string,
  id = newJobId(),
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
  };
  await createJob(
    store,
    id,
    { type: "job:created", agent: agent.name, prompt, ...origin, agentConfig: recordable(agent) },
    new Date(),
  );
  return id;
}
