import { readDocument } from "../../app/document.ts";
import { findProject, lookIntoStore } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { markdown } from "../../display/markdown.ts";
import { paintFor } from "../../display/style.ts";
import { parseDocument } from "../../handoff/document.ts";
import { documentOf } from "../../jobs/end/archive.ts";
import { findJob } from "../../store/jobs.ts";
import { newestWithHandoffs } from "./handoffs.ts";

export interface HandoffShowOptions {
  config?: string;
  json?: boolean;
  job?: string;
}

/** `which`: a number within a job, or the path of a document. */
export async function handoffShow(which: string, options: HandoffShowOptions): Promise<number> {
  const { text } = await readDocument(/^\d+$/.test(which) ? await numbered(Number(which), options) : which);
  if (options.json) console.log(JSON.stringify(parseDocument(text)));
  else console.log(markdown(text, paintFor(process.stdout, process.env)));
  return 0;
}

async function numbered(number: number, options: HandoffShowOptions): Promise<string> {
  await using store = await lookIntoStore(findProject(options));
  const [job] =
    options.job === undefined ? await newestWithHandoffs(store, 1) : [await findJob(store, options.job)];
  if (!job) throw new UsageError("No job here has handed off yet.");
  const handoff = job.handoffs.find((candidate) => candidate.number === number);
  if (handoff) return documentOf(handoff);
  throw new UsageError(`${job.id} has no handoff ${number}. \`baton handoffs\` lists them.`);
}
