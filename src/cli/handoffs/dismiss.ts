import { dismissWaiting } from "../../app/handoffs/dismiss.ts";
import { findProject } from "../../app/project.ts";
import { shortPath } from "../../display/path.ts";
import { printJson, printWords } from "../../display/print.ts";

export interface DismissOptions {
  config?: string;
  json?: boolean;
}

export async function handoffDismiss(document: string, options: DismissOptions): Promise<number> {
  const path = await dismissWaiting(findProject(options), document);
  if (options.json) printJson({ documentPath: path });
  else printWords(`${shortPath(path)} is no longer waiting. The document stays where it is.`);
  return 0;
}
