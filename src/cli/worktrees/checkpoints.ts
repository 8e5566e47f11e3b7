import { checkpointsOf, restoreInto } from "../../app/jobs/checkpoints.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, paintFor } from "../../display/style.ts";

export interface CheckpointsOptions {
  config?: string;
  json?: boolean;
}

export async function checkpoints(id: string, options: CheckpointsOptions): Promise<number> {
  const list = await checkpointsOf(findProject(options), id);
  if (options.json) {
    printJson(list);
    return 0;
  }
  if (list.length === 0) {
    print("none: the job ended with nothing to keep, or its folder is in no git repository");
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  for (const { number, ref, at, subject } of list) {
    print(`${String(number).padStart(3)}  ${at}  ${paint("dim", ref)}  ${oneLine(subject)}`);
  }
  return 0;
}

export interface RestoreOptions extends CheckpointsOptions {
  to: string;
}

export async function restore(
  id: string,
  number: number | undefined,
  options: RestoreOptions,
): Promise<number> {
  const { job, checkpoint, into } = await restoreInto(options.to, findProject(options), id, number);
  if (options.json) printJson({ ...checkpoint, into });
  else print(`Checkpoint ${checkpoint.number} of ${job} is in ${into}.`);
  return 0;
}
