import { begunLine } from "../../app/jobs/background/start.ts";
import { resumedJobIn } from "../../app/jobs/ready-job.ts";
import { findProject } from "../../app/project.ts";
import { printWords } from "../../display/print.ts";
import { exitCodeOf } from "../exit.ts";
import { type ChosenOptions, chosenIn } from "../jobs/chosen.ts";
import { drive } from "../jobs/drive.ts";

/** What `--detach` starts: runs a job that is on record. A line says that it is this process's own. */
export async function internalRun(id: string, options: ChosenOptions & { config?: string }): Promise<number> {
  const project = findProject(options);
  await using job = await resumedJobIn(project, id, { ...options, ...chosenIn(options) });
  const ended = await drive(job, { json: false, detached: { begun: () => printWords(begunLine(job.job)) } });
  return exitCodeOf(ended);
}
