import { type Paint, paintFor } from "../display/style.ts";
import { type Column, table } from "../display/table.ts";
import { documentOf } from "../jobs/archive.ts";
import type { HandoffRecord, Job } from "../jobs/job.ts";
import { handoffView } from "../jobs/view.ts";
import { findJob, listJobs } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { findProject, hasStore, lookIntoStore, type Project } from "./project.ts";

export interface HandoffsOptions {
  config?: string;
  json?: boolean;
}

/** How many jobs are looked at, and of how many the handoffs are listed. */
const LOOKED_AT = 1_000;
const JOBS_SHOWN = 10;

interface Row {
  job: Job;
  handoff: HandoffRecord;
  /** Where the document is now. */
  documentPath: string;
}

export async function handoffs(id: string | undefined, options: HandoffsOptions): Promise<number> {
  const rows = await rowsOf(findProject(options), id);
  if (options.json) {
    console.log(
      JSON.stringify(
        rows.map(({ job, handoff, documentPath }) => ({
          job: job.id,
          ...handoffView(handoff),
          documentPath,
        })),
      ),
    );
  } else if (rows.length === 0) {
    console.log(id === undefined ? "No job here has handed off yet." : "This job has not handed off yet.");
  } else {
    const paint = paintFor(process.stdout, process.env);
    const columns = id === undefined ? [JOB, ...columnsOf(paint)] : columnsOf(paint);
    // A path that is cut short is of no use.
    console.log(table(rows, columns, Number.POSITIVE_INFINITY).join("\n"));
  }
  return 0;
}

async function rowsOf(project: Project, id: string | undefined): Promise<Row[]> {
  if (id === undefined && !hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  const jobs = id === undefined ? await newestWithHandoffs(store, JOBS_SHOWN) : [await findJob(store, id)];
  const rows = jobs.flatMap((job) => job.handoffs.map((handoff) => ({ job, handoff })));
  return Promise.all(
    rows.map(async (row): Promise<Row> => ({ ...row, documentPath: await documentOf(row.handoff) })),
  );
}

export async function newestWithHandoffs(store: Store, most: number): Promise<Job[]> {
  const jobs = await listJobs(store, LOOKED_AT);
  return jobs.filter((job) => job.handoffs.length > 0).slice(0, most);
}

const JOB: Column<Row> = { title: "JOB", text: ({ job }) => job.id };

function columnsOf(paint: Paint): Column<Row>[] {
  return [
    { title: "#", text: ({ handoff }) => String(handoff.number), align: "right" },
    { title: "WHEN", text: ({ handoff }) => when(handoff.storedAt) },
    { title: "AT", text: ({ handoff }) => `${Math.round(handoff.percent)}%`, align: "right" },
    { title: "TRIGGER", text: ({ handoff }) => handoff.trigger },
    {
      title: "OUTCOME",
      text: ({ handoff }) => outcomeOf(handoff),
      paint: ({ handoff }, text) => paint(handoff.outcome === "written" ? "green" : "yellow", text),
    },
    { title: "DOCUMENT", text: ({ documentPath }) => documentPath },
  ];
}

function outcomeOf({ outcome, checks }: HandoffRecord): string {
  const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  return failed.length > 0 ? `${outcome} (${failed.join(", ")})` : outcome;
}

function when(at: string): string {
  const time = new Date(at);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
