import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentNamed } from "../../config/agent-named.ts";
import type { Chosen } from "../../config/chosen.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import { workingAs } from "../../config/ways.ts";
import { agentNow, isOnlyToBeClosed, type Job, statusBeforeQueue } from "../../job/job.ts";
import { configOf, type Project } from "../project.ts";
import { UntrustedError } from "../trust/gate.ts";
import { UsageError } from "../usage-error.ts";
import { readyStandIn, refuseAnyUnready, refuseUnready, trustedAgent } from "./ready.ts";

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

/**
 * A job has the configuration that it was started with, as it is now, unless the user names another. `standing`: what holds where
 * that is broken, or nobody has agreed to it yet.
 */
export async function resumable(
  job: Job,
  project: Project,
  { config: given, chosen: anew = {} }: ResumeChoice,
  { env, standing }: { env?: Record<string, string>; standing?: Config } = {},
): Promise<Resumable> {
  refuseOver(job);
  const { configPath } = job;
  const chosen = { ...job.chosen, ...anew };
  const { refuseOtherFolder } = await import("./chosen.ts");
  refuseOtherFolder(chosen, job);
  const { config, ready } = await nowOr(standing, job, async () => {
    const found = await configOf(configPath && !given ? { ...project, configPath } : project, { chosen });
    return { config: found, ready: await trustedAgent(found, agentNamed(found, job.agent).name) };
  });
  if (!isOnlyToBeClosed(job)) await refuseUnreadyNow(config, ready, job, env);
  const ways = job.continues?.ways;
  const agent = ways ? workingAs(ready, ways) : ready;
  const resumed = { message: `Resumed after it was ${statusBeforeQueue(job)}.` };
  return { config, agent, resumed: Object.keys(anew).length > 0 ? { ...resumed, chosen } : resumed };
}

/** What was chosen for a job is laid over files, and so is not in a configuration that stands. */
async function nowOr(
  standing: Config | undefined,
  { agent, chosen, configPath }: Job,
  read: () => Promise<{ config: Config; ready: AgentConfig }>,
): Promise<{ config: Config; ready: AgentConfig }> {
  try {
    return await read();
  } catch (error) {
    const isOfFiles = error instanceof ConfigError || error instanceof UntrustedError;
    const fits = standing && !chosen && (configPath === null || configPath === standing.path);
    if (!isOfFiles || !fits) throw error;
    return { config: standing, ready: await trustedAgent(standing, agentNamed(standing, agent).name) };
  }
}

/**
 * Of a job that has begun only the agent that has it must be able to work: it may have it because the first one has lost its
 * sign-in. One that is gone from the configuration leaves the job to the first.
 */
async function refuseUnreadyNow(
  config: Config,
  first: AgentConfig,
  job: Job,
  env = ownEnvironment(),
): Promise<void> {
  if (job.sessions.length === 0) return refuseAnyUnready(first, env);
  const now = agentNow(job);
  const isKnown = config.agents.some(({ name }) => name === now);
  if (isKnown && now !== first.name) await readyStandIn(config, first, now, env);
  else await refuseUnready(first, env);
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
