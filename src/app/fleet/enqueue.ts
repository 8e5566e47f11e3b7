import type { Config } from "../../config/config.ts";
import { type JobOrigin, newJob } from "../../jobs/new-job.ts";
import { findJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { trustedAgent } from "../jobs/ready.ts";
import { openProjectStore, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { type FleetView, fleetView, type QueuedView } from "./view.ts";

interface WantedInQueue {
  config: Config;
  /** The name of the agent. Needed where there are several. */
  agent: string | undefined;
  /** Undefined: what the configuration says that it is asked without words. */
  prompt: string | undefined;
  origin: Omit<JobOrigin, "path">;
  priority?: number;
  /** Jobs that must be completed first, by their ids or the beginnings of them. */
  after?: readonly string[];
}

/** A job that was put into the queue, and how it stands there. */
export interface Enqueued {
  job: string;
  queued: QueuedView | undefined;
  fleet: FleetView;
}

/** Puts a job into the queue. It starts nothing by itself; whether its agent is ready is seen when it has a slot. */
export async function enqueue(project: Project, wanted: WantedInQueue): Promise<Enqueued> {
  const { config, origin, priority = 0, after = [] } = wanted;
  const agent = await trustedAgent(config, wanted.agent);
  const prompt = wanted.prompt ?? agent.defaultPrompt;
  if (prompt === undefined) {
    throw new UsageError(
      `${agent.name} has no default_prompt. Say what to do: baton trigger ${agent.name} --prompt "…", or set default_prompt in baton.yaml.`,
    );
  }
  await using store = await openProjectStore(project);
  const first = await Promise.all(after.map(async (named) => (await endable(store, named)).id));
  const job = await newJob(store, { ...config, ...origin }, agent, prompt, undefined, {
    priority,
    ...(first.length > 0 && { after: [...new Set(first)] }),
  });
  const fleet = await fleetView({ project, config, store });
  return { job, queued: fleet.queue.find((each) => each.job === job), fleet };
}

/** One that is over and not completed would be waited for without end. */
async function endable(store: Store, named: string) {
  const job = await findJob(store, named);
  if (job.status !== "failed" && job.status !== "cancelled") return job;
  throw new UsageError(
    `${job.id} is ${job.status}, so nothing can come after its completion. Resume it first: baton resume ${job.id} --queue`,
  );
}
