import type { Chosen } from "../../config/chosen.ts";
import { given } from "../../util/given.ts";
import { type Detached, runInBackground } from "../jobs/background/start.ts";
import { startJob } from "../jobs/start.ts";
import { configOf, findProject } from "../project.ts";
import { callingSession, type Served } from "./served.ts";

interface WantedJob {
  prompt: string;
  /** By its name in the configuration. Needed where there are several. */
  agent?: string | undefined;
  worktree: boolean;
}

/** Starts a job in the background for the calling session, which follows it among its workers. */
export async function startJobHere(
  served: Served,
  { prompt, agent, worktree }: WantedJob,
): Promise<Detached> {
  const { id: startedBy } = await callingSession(served);
  const project = findProject(served.options, served.root);
  const chosen: Chosen | undefined = worktree ? { worktree } : undefined;
  const config = await configOf(project, given({ chosen }));
  await using job = await startJob(project, {
    config,
    agent,
    prompt,
    origin: { startedBy },
    elsewhere: true,
  });
  return await runInBackground(project, job, served.options);
}
