import type { Chosen } from "../../../config/chosen.ts";
import type { Config } from "../../../config/config.ts";
import type { Continued } from "../../../job/events.ts";
import type { Job } from "../../../job/job.ts";
import type { JobOrigin } from "../../../jobs/new-job.ts";
import { latestEvent } from "../../../store/events.ts";
import { findJob } from "../../../store/jobs.ts";
import type { Store } from "../../../store/store.ts";
import { given } from "../../../util/given.ts";
import { configOf, openStoreOfJobs, type Project } from "../../project.ts";
import { UsageError } from "../../usage-error.ts";
import { readyAgent } from "../ready.ts";
import { type ReadyJob, readyIn, recordedIn } from "../ready-job.ts";
import { startedFrom } from "../start.ts";

/** What a person chooses for the new job, over what was chosen for the one that it comes from. */
export interface AgainOptions {
  /** Another configuration than that of the earlier job. */
  config?: string;
  chosen?: Chosen;
}

/** Puts a new job with the same prompt on record, that begins where the other one did. That one stays as it is. */
export async function retryOf(
  project: Project,
  named: string,
  options: AgainOptions = {},
): Promise<ReadyJob> {
  return readyIn(await openStoreOfJobs(project), async (store) => {
    const parent = await findJob(store, named);
    refuseChat(parent, "retry");
    const config = await configAgain(project, parent, options);
    const agent = await readyAgent(config, parent.agent);
    const continues = await continuedBy(store, parent);
    const origin = { ...(await originAgain(config, parent)), ...given({ continues }) };
    const job = await recordedIn(project, store, {
      origin: { ...origin, parent: { job: parent.id, by: "retry" } },
      agent,
      prompt: parent.prompt,
    });
    return { config: agent, maintenance: config.maintenance, job };
  });
}

/** What is said in a chat is not on record as a prompt. */
export function refuseChat({ id, attended }: Job, command: string): void {
  if (!attended) return;
  throw new UsageError(
    `${id} is a chat, which \`baton ${command}\` cannot begin anew. Continue it with: baton chat --resume ${id}`,
  );
}

/** As it is written now, with what was chosen for the earlier job. */
export function configAgain(
  project: Project,
  parent: Job,
  { config, chosen }: AgainOptions,
): Promise<Config> {
  const { configPath } = parent;
  const where = configPath && !config ? { ...project, configPath } : project;
  return configOf(where, { chosen: { ...parent.chosen, ...chosen } });
}

/** What a job that comes from another belongs to. */
export async function originAgain(config: Config, parent: Job): Promise<JobOrigin> {
  const { epic, workItem } = parent;
  const { path, chosen } = config;
  const startedBy = await startedFrom();
  return given({ path, chosen, epic: epic ?? undefined, workItem: workItem ?? undefined, startedBy });
}

/** The document that the earlier job began with. */
export async function continuedBy(store: Store, { id, continues }: Job): Promise<Continued | undefined> {
  return continues ? (await latestEvent(store, id, "job:created"))?.continues : undefined;
}
