import { findProject, openStoreOfJobs } from "../../app/project.ts";
import { resumable } from "../../app/resumable.ts";
import { printEnd } from "../../display/job-end.ts";
import { findJob } from "../../store/jobs.ts";
import { exitCodeOf } from "../exit.ts";

export interface ResumeOptions {
  config?: string;
  json?: boolean;
}

export async function resume(id: string, options: ResumeOptions): Promise<number> {
  const project = findProject(options);
  await using store = await openStoreOfJobs(project);
  const job = await findJob(store, id);
  const { config, agent, resumed } = await resumable(job, project, options);
  const { drive } = await import("./drive.ts");
  const ended = await drive({
    store,
    config: agent,
    maintenance: config.maintenance,
    job: job.id,
    json: options.json ?? false,
    resumed,
  });
  if (!options.json) printEnd(ended);
  return exitCodeOf(ended.status);
}
