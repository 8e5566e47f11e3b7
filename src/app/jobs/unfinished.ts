import { agentNamed } from "../../config/agent-named.ts";
import type { Config } from "../../config/config.ts";
import type { Job } from "../../job/job.ts";
import { restingOn } from "../../jobs/resting.ts";
import { hasStore, lookIntoOwnStore, type Project } from "../project.ts";

/** A job that has begun this work item with this agent and can be resumed, before another one is started on it. */
export async function unfinishedOn(
  project: Project,
  config: Config,
  { agent, workItem }: { agent: string | undefined; workItem: string },
): Promise<Job | undefined> {
  if (!hasStore(project)) return undefined;
  await using store = await lookIntoOwnStore(project);
  return await restingOn(store, { agent: agentNamed(config, agent).name, workItem });
}
