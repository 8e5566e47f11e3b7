import { findProject } from "../../app/project.ts";
import { exportPage } from "../../app/records/export.ts";
import { print, printJson } from "../../display/print.ts";
import { size } from "../../util/figures.ts";
import { oneLine } from "../../util/printable.ts";

export interface ExportOptions {
  config?: string;
  json?: boolean;
  output?: string;
}

export async function exportJob(id: string | undefined, options: ExportOptions): Promise<number> {
  const { job, path, bytes } = await exportPage(findProject(options), id, options.output);
  if (options.json) printJson({ job, path, bytes });
  else print(`${oneLine(path)} (${size(bytes)})`);
  return 0;
}
