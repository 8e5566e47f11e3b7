import type { AgentConfig, Config } from "../../config/config.ts";
import { statusBeforeQueue } from "../../job/job.ts";
import { newJobId } from "../../jobs/new-id.ts";
import { type JobOrigin, newJob } from "../../jobs/new-job.ts";
import { findJob } from "../../store/jobs.ts";
import type { Wanted } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { openProjectStore, openStoreOfJobs, type Project } from "../project.ts";
import { type ResumeChoice, resumable } from "./resumable.ts";
import type { JobRun } from "./run.ts";
import type { Ahead } from "./start-ahead.ts";

/** A job on record that this process is about to run, and the store that it is in, which closes with it. */
export interface ReadyJob
  extends AsyncDisposable,
    Pick<JobRun, "store" | "config" | "maintenance" | "job" | "resumed" | "env" | "ahead"> {}

interface NewJob {
  config: Pick<Config, "path" | "maintenance" | "chosen">;
  agent: AgentConfig;
  prompt: string;
  /** What it belongs to, or continues from. */
  origin?: Omit<JobOrigin, "path">;
  /** The agent's program where it was started already: the job gets the id that this was told. */
  ahead?: Ahead;
  id?: string;
}

/** Puts a new job on record. */
export async function newJobIn(
  project: Project,
  { config, agent, prompt, origin, ahead, id = ahead?.job }: NewJob,
): Promise<ReadyJob> {
  return readyIn(await openProjectStore(project), async (store) => ({
    config: agent,
    maintenance: config.maintenance,
    job: await recordedIn(project, store, {
      origin: { ...config, ...origin },
      agent,
      prompt,
      ...(id && { id }),
    }),
    ...(ahead && { ahead }),
  }));
}

interface Recorded {
  origin: JobOrigin;
  agent: AgentConfig;
  prompt: string;
  id?: string;
  /** Its place in the queue, where it is to wait there. */
  place?: Wanted;
}

/** Records a new job. Whoever starts it knows of it first: a job that nobody follows would be worse than one that never came. */
export async function recordedIn(
  { root }: Project,
  store: Store,
  { origin, agent, prompt, id = newJobId(), place }: Recorded,
): Promise<string> {
  if (origin.startedBy !== undefined) {
    const { listWith } = await import("../sessions/started-jobs.ts");
    await listWith(origin.startedBy, { id, root, task: prompt });
  }
  return newJob(store, origin, agent, prompt, id, place);
}

/** A job that is not completed, by its id or the beginning of it. */
export async function resumedJobIn(
  project: Project,
  named: string,
  options: ResumeChoice,
): Promise<ReadyJob> {
  return readyIn(await openStoreOfJobs(project), async (store) => {
    const job = await findJob(store, named);
    const { config, agent, resumed } = await resumable(job, project, options);
    // One that nobody has begun is not resumed, but started.
    const isNew = statusBeforeQueue(job) === "created" && resumed.chosen === undefined;
    return { config: agent, maintenance: config.maintenance, job: job.id, ...(!isNew && { resumed }) };
  });
}

/** The store is closed where the job cannot be made ready. */
export async function readyIn(
  store: Store,
  ready: (store: Store) => Promise<Omit<ReadyJob, "store" | typeof Symbol.asyncDispose>>,
): Promise<ReadyJob> {
  try {
    return { store, ...(await ready(store)), [Symbol.asyncDispose]: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}
