import { resumedJobIn } from "../../app/jobs/ready-job.ts";
import { findProject } from "../../app/project.ts";
import { printEnd } from "../../display/job-end.ts";
import { agreeFirst } from "../config/agree.ts";
import { exitCodeOf } from "../exit.ts";

export interface ResumeOptions {
  config?: string;
  json?: boolean;
}

export async function resume(id: string, options: ResumeOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  await using job = await resumedJobIn(project, id, options);
  const { drive } = await import("./drive.ts");
  const ended = await drive(job, { json: options.json ?? false });
  if (!options.json) printEnd(ended);
  return exitCodeOf(ended.status);
}
