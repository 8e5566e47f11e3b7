import { handoffDocument } from "../../app/handoffs/document.ts";
import { findProject } from "../../app/project.ts";
import { markdown } from "../../display/markdown.ts";
import { print, printError, printJson } from "../../display/print.ts";
import { paintFor } from "../../display/style.ts";

export interface HandoffShowOptions {
  config?: string;
  json?: boolean;
  job?: string;
}

/** `which`: a number within a job, or the path of a document. */
export async function handoffShow(which: string, options: HandoffShowOptions): Promise<number> {
  const { text, document, warning } = await handoffDocument(findProject(options), which, options.job);
  if (warning !== undefined) printError(warning);
  if (options.json) printJson(document);
  else print(markdown(text, paintFor(process.stdout, process.env)));
  return 0;
}
