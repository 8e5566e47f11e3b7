import { resumedJobIn } from "../../app/jobs/ready-job.ts";
import { findProject } from "../../app/project.ts";
import { agreeFirst } from "../config/agree.ts";
import { type ChosenOptions, chosenIn } from "./chosen.ts";
import { refuseWhere, runHereOrDetached, type WhereOptions } from "./here-or-detached.ts";
import { newestToResume } from "./resume-newest.ts";

export interface ResumeOptions extends ChosenOptions, WhereOptions {}

/** By its id, or the newest that can be resumed. */
export async function resume(named: string | undefined, options: ResumeOptions): Promise<number> {
  await refuseWhere(options);
  const project = findProject(options);
  await agreeFirst(project, options);
  const id = named ?? (await newestToResume(project, { attended: false, json: options.json }));
  await using job = await resumedJobIn(project, id, { ...options, ...chosenIn(options) });
  return await runHereOrDetached(project, job, options);
}
