import { configOf, findProject, openStoreOfJobs } from "../app/project.ts";
import { readyAgent, refuseCompleted } from "../app/ready.ts";
import { agentNamed } from "../config/agent-named.ts";
import { printEnd } from "../display/job-end.ts";
import { findJob } from "../store/jobs.ts";
import { exitCodeOf } from "./exit.ts";

export interface ResumeOptions {
  config?: string;
  json?: boolean;
}

export async function resume(id: string, options: ResumeOptions): Promise<number> {
  const project = findProject(options);
  await using store = await openStoreOfJobs(project);
  const job = await findJob(store, id);
  refuseCompleted(job);
  const config = await configOf(
    job.configPath && !options.config ? { root: project.root, configPath: job.configPath } : project,
  );
  const agent = await readyAgent(config, agentNamed(config, job.agent).name);
  const { drive } = await import("./drive.ts");
  const ended = await drive({
    store,
    config: agent,
    maintenance: config.maintenance,
    job: job.id,
    json: options.json ?? false,
    resumed: `Resumed after it was ${job.status}.`,
  });
  if (!options.json) printEnd(ended);
  return exitCodeOf(ended.status);
}
