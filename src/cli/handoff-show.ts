import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseDocument } from "../handoff/document.ts";
import { findDocument } from "../handoff/history.ts";
import { documentOf } from "../jobs/archive.ts";
import type { Job } from "../jobs/job.ts";
import { findJob, listJobs } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { markdown } from "./display/markdown.ts";
import { paintFor } from "./display/style.ts";
import { UsageError } from "./exit.ts";
import { findProject, lookIntoStore } from "./project.ts";

export interface HandoffShowOptions {
  config?: string;
  json?: boolean;
  job?: string;
}

/** `which`: a number within a job, or the path of a document. */
export async function handoffShow(which: string, options: HandoffShowOptions): Promise<number> {
  const path = /^\d+$/.test(which)
    ? await numbered(Number(which), options)
    : await findDocument(resolve(which));
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const why = error instanceof Error ? error.message : error;
    throw new UsageError(`The handoff document ${path} cannot be read: ${why}`);
  });
  if (options.json) console.log(JSON.stringify(parseDocument(text)));
  else console.log(markdown(text, paintFor(process.stdout, process.env)));
  return 0;
}

async function numbered(number: number, options: HandoffShowOptions): Promise<string> {
  await using store = await lookIntoStore(findProject(options));
  const job = options.job === undefined ? await newestWithHandoffs(store) : await findJob(store, options.job);
  const handoff = job.handoffs.find((candidate) => candidate.number === number);
  if (handoff) return documentOf(handoff);
  throw new UsageError(`${job.id} has no handoff ${number}. \`baton handoffs\` lists them.`);
}

const LOOKED_AT = 1_000;

async function newestWithHandoffs(store: Store): Promise<Job> {
  const job = (await listJobs(store, LOOKED_AT)).find(({ handoffs }) => handoffs.length > 0);
  if (job) return job;
  throw new UsageError("No job here has handed off yet.");
}
