import { resumedJobIn } from "../../app/jobs/ready-job.ts";
import { findProject } from "../../app/project.ts";
import { agreeFirst } from "../config/agree.ts";
import { placeIn, type QueueOptions, refusePlace } from "../fleet/place.ts";
import { type ChosenOptions, chosenIn } from "./chosen.ts";
import { refuseWhere, runHereOrDetached, type WhereOptions } from "./here-or-detached.ts";
import { newestToResume } from "./resume-newest.ts";

export interface ResumeOptions extends ChosenOptions, WhereOptions, QueueOptions {}

/** By its id, or the newest that can be resumed. */
export async function resume(named: string | undefined, options: ResumeOptions): Promise<number> {
  await refuseWhere(options);
  const project = findProject(options);
  await agreeFirst(project, options);
  refusePlace(options);
  const id = named ?? (await newestToResume(project, { attended: false, json: options.json }));
  if (options.queue) {
    const { enqueueResting } = await import("../../app/fleet/enqueue.ts");
    const { sayEnqueued } = await import("../fleet/enqueued.ts");
    const { chosen } = chosenIn(options);
    return sayEnqueued(await enqueueResting(project, id, placeIn(options), chosen), options);
  }
  await using job = await resumedJobIn(project, id, { ...options, ...chosenIn(options) });
  return await runHereOrDetached(project, job, options);
}
