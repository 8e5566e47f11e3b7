import { type CheckpointView, checkpointsOf, restoreInto } from "../../app/jobs/checkpoints.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { shortDate } from "../../display/when.ts";

export interface CheckpointsOptions {
  config?: string;
  json?: boolean;
}

export async function checkpoints(id: string | undefined, options: CheckpointsOptions): Promise<number> {
  const list = await checkpointsOf(findProject(options), id);
  if (options.json) {
    printJson(list);
    return 0;
  }
  if (list.length === 0) {
    printWords("none: the job had nothing to keep, or its folder is not in a git repository");
    return 0;
  }
  const columns = columnsOf(paintFor(process.stdout, process.env));
  print(table(list, columns, tableWidth(process.stdout), { last: "below" }).join("\n"));
  return 0;
}

function columnsOf(paint: Paint): Column<CheckpointView>[] {
  return [
    { title: "#", text: ({ number }) => String(number), align: "right" },
    { title: "WHEN", text: ({ at }) => shortDate(at, new Date()) },
    // Whose it is stands in the ref.
    { title: "MADE AT", text: ({ subject }) => subject.replace(/^job-\S+: /, "") },
    { title: "REF", text: ({ ref }) => ref, paint: (_row, text) => paint("dim", text) },
  ];
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
  else printWords(`Checkpoint ${checkpoint.number} of ${job} is in ${into}.`);
  return 0;
}
