import { agentNamed } from "../../config/agent-named.ts";
import type { Chosen } from "../../config/chosen.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { workingAs } from "../../config/ways.ts";
import { isOnlyToBeClosed, type Job, statusBeforeQueue } from "../../job/job.ts";
import { configOf, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { readyAgent, trustedAgent } from "./ready.ts";

/** What a person can choose anew. */
export interface ResumeChoice {
  /** Another configuration than the one that the job was started with. */
  config?: string;
  /** What changes of what was chosen when it was started. */
  chosen?: Chosen;
}

/** Said in the journal first. */
export interface Resumption {
  message: string;
  chosen?: Chosen;
}

/** What a job is resumed with. */
export interface Resumable {
  config: Config;
  agent: AgentConfig;
  resumed: Resumption;
}

/** A job has the configuration that it was started with, as it is now, unless the user names another. */
export async function resumable(
  job: Job,
  project: Project,
  { config: given, chosen: anew = {} }: ResumeChoice,
  env?: Record<string, string>,
): Promise<Resumable> {
  refuseOver(job);
  const { configPath } = job;
  const chosen = { ...job.chosen, ...anew };
  const { refuseOtherFolder } = await import("./chosen.ts");
  refuseOtherFolder(chosen, job);
  const config = await configOf(configPath && !given ? { ...project, configPath } : project, { chosen });
  const { name } = agentNamed(config, job.agent);
  const ready = isOnlyToBeClosed(job)
    ? await trustedAgent(config, name)
    : await readyAgent(config, name, env);
  const ways = job.continues?.ways;
  const agent = ways ? workingAs(ready, ways) : ready;
  const resumed = { message: `Resumed after it was ${statusBeforeQueue(job)}.` };
  return { config, agent, resumed: Object.keys(anew).length > 0 ? { ...resumed, chosen } : resumed };
}

/** What there is nothing to continue of, or nothing to continue it from. */
export function refuseOver(job: Job): void {
  if (job.status === "completed") {
    throw new UsageError(
      `${job.id} is completed, so there is nothing to resume. Start another with \`baton run\`.`,
    );
  }
  if (!job.compacted) return;
  const document = job.handoffs.at(-1)?.documentPath;
  const next = document
    ? `Continue from its last document: baton continue ${document}`
    : "Start another with `baton run`.";
  throw new UsageError(
    `The journal of ${job.id} was compacted (maintenance.job_cleanup), so the job cannot be resumed. ${next}`,
  );
}
