import { resumedJobIn } from "../../app/jobs/ready-job.ts";
import { findProject } from "../../app/project.ts";
import { printEnd } from "../../display/job-end.ts";
import { agreeFirst } from "../config/agree.ts";
import { exitCodeOf } from "../exit.ts";
import { type ChosenOptions, chosenIn } from "./chosen.ts";
import { newestToResume } from "./resume-newest.ts";

export interface ResumeOptions extends ChosenOptions {
  config?: string;
  json?: boolean;
}

/** By its id, or the newest that can be resumed. */
export async function resume(named: string | undefined, options: ResumeOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const id = named ?? (await newestToResume(project, { attended: false, json: options.json }));
  await using job = await resumedJobIn(project, id, { ...options, ...chosenIn(options) });
  const { drive } = await import("./drive.ts");
  const ended = await drive(job, { json: options.json ?? false });
  if (!options.json) printEnd(ended);
  return exitCodeOf(ended);
}
