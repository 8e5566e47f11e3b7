import { agentNamed } from "../../config/agent-named.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { isOnlyToBeClosed, type Job } from "../../job/job.ts";
import { configOf, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { readyAgent, trustedAgent } from "./ready.ts";

/** What a job is resumed with. */
export interface Resumable {
  config: Config;
  agent: AgentConfig;
  /** Said in the journal first. */
  resumed: string;
}

/** A job has the configuration that it was started with, as it is now, unless the user names another. */
export async function resumable(
  job: Job,
  project: Project,
  { config: given }: { config?: string },
  env?: Record<string, string>,
): Promise<Resumable> {
  refuseCompleted(job);
  const { configPath } = job;
  const config = await configOf(configPath && !given ? { ...project, configPath } : project);
  const { name } = agentNamed(config, job.agent);
  const agent = isOnlyToBeClosed(job)
    ? await trustedAgent(config, name)
    : await readyAgent(config, name, env);
  return { config, agent, resumed: `Resumed after it was ${job.status}.` };
}

export function refuseCompleted(job: Job): void {
  if (job.status !== "completed") return;
  throw new UsageError(
    `${job.id} is completed, so there is nothing to resume. Start another with \`baton run\`.`,
  );
}
