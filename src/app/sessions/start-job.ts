import type { Chosen } from "../../config/chosen.ts";
import { given } from "../../util/given.ts";
import { enqueueReady } from "../fleet/enqueue.ts";
import { runInBackground } from "../jobs/background/start.ts";
import { startJob } from "../jobs/start.ts";
import { configOf, findProject } from "../project.ts";
import { ownSessionOf, type Served } from "./served.ts";

interface WantedJob {
  prompt: string;
  /** By its name in the configuration. Needed where there are several. */
  agent?: string | undefined;
  worktree: boolean;
}

/**
 * Starts a job in the background, or in the queue of the fleet where one runs. A session that calls follows it among its workers;
 * any other program by its id.
 */
export async function startJobHere(
  served: Served,
  { prompt, agent, worktree }: WantedJob,
): Promise<{ job: string; status: "running" | "queued" }> {
  const session = await ownSessionOf(served);
  const project = findProject(served.options, served.root);
  const chosen: Chosen | undefined = worktree ? { worktree } : undefined;
  const config = await configOf(project, given({ chosen }));
  await using job = await startJob(project, {
    config,
    agent,
    prompt,
    origin: given({ startedBy: session?.id }),
    elsewhere: true,
  });
  const isOwnConfig = served.options.config !== undefined;
  const queued = isOwnConfig ? undefined : await enqueueReady(project, job);
  if (queued) return { job: queued.job, status: "queued" };
  const { job: id } = await runInBackground(project, job, served.options);
  return { job: id, status: "running" };
}
