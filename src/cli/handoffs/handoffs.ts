import { configOf, findProject, hasStore, lookIntoStore, type Project } from "../../app/project.ts";
import { agentNamed } from "../../config/agent-named.ts";
import { type Paint, paintFor } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";
import { outcomeInWords, writtenOutcome } from "../../handoff/outcome.ts";
import type { HandoffRecord, Job } from "../../job/job.ts";
import { handoffView } from "../../job/view.ts";
import { documentOf } from "../../jobs/end/archive.ts";
import { listDocuments } from "../../mcp/documents.ts";
import { findJob, listJobs } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";

export interface HandoffsOptions {
  config?: string;
  json?: boolean;
}

/** How many jobs are looked at, and of how many the handoffs are listed. */
const LOOKED_AT = 1_000;
const JOBS_SHOWN = 10;
const SESSIONS_SHOWN = 20;

interface Row {
  /** A job's id, or which session of a person's own it was. */
  whose: string;
  number: number;
  storedAt: string;
  percent: number;
  trigger: string;
  outcome: string;
  isWhole: boolean;
  documentPath: string;
  /** For programs. */
  view: object;
}

export async function handoffs(id: string | undefined, options: HandoffsOptions): Promise<number> {
  const project = findProject(options);
  const ofJobs = await rowsOfJobs(project, id);
  const rows = id === undefined ? [...ofJobs, ...(await rowsOfSessions(project))] : ofJobs;
  if (options.json) {
    console.log(JSON.stringify(rows.map(({ view }) => view)));
  } else if (rows.length === 0) {
    console.log(
      id === undefined ? "Nothing here has been handed off yet." : "This job has not handed off yet.",
    );
  } else {
    const paint = paintFor(process.stdout, process.env);
    const columns = id === undefined ? [WHOSE, ...columnsOf(paint)] : columnsOf(paint);
    // A path that is cut short is of no use.
    console.log(table(rows, columns, Number.POSITIVE_INFINITY).join("\n"));
  }
  return 0;
}

async function rowsOfJobs(project: Project, id: string | undefined): Promise<Row[]> {
  if (id === undefined && !hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  const jobs = id === undefined ? await newestWithHandoffs(store, JOBS_SHOWN) : [await findJob(store, id)];
  const found = jobs.flatMap((job) => job.handoffs.map((handoff) => ({ job: job.id, handoff })));
  return Promise.all(
    found.map(async ({ job, handoff }): Promise<Row> => {
      const { number, storedAt, percent, trigger } = handoff;
      const documentPath = await documentOf(handoff);
      const outcome = outcomeOf(handoff);
      const isWhole = handoff.outcome === "written";
      const view = { job, ...handoffView(handoff), documentPath };
      return { whose: job, number, storedAt, percent, trigger, outcome, isWhole, documentPath, view };
    }),
  );
}

/** Handoffs of sessions that a person started are told by their documents alone. */
async function rowsOfSessions(project: Project): Promise<Row[]> {
  const { handoff } = agentNamed(await configOf(project));
  const listed = await listDocuments({ root: project.root, handoffDir: handoff.dir });
  return listed
    .filter(({ job, session }) => job === null && session !== null)
    .slice(0, SESSIONS_SHOWN)
    .map(({ path: documentPath, session, number, created, percent, trigger, outcome }): Row => {
      const told = {
        number: number ?? 1,
        storedAt: created ?? "",
        percent: percent ?? 0,
        trigger: trigger ?? "",
        outcome: outcome ?? "",
        documentPath,
      };
      const view = { job: null, fromSession: session, ...told };
      const how = writtenOutcome(outcome);
      return {
        whose: `session ${session?.slice(0, 8)}`,
        ...told,
        outcome: how,
        isWhole: outcome === "written",
        view,
      };
    });
}

export async function newestWithHandoffs(store: Store, most: number): Promise<Job[]> {
  const jobs = await listJobs(store, LOOKED_AT);
  return jobs.filter((job) => job.handoffs.length > 0).slice(0, most);
}

const WHOSE: Column<Row> = { title: "OF", text: ({ whose }) => whose };

function columnsOf(paint: Paint): Column<Row>[] {
  return [
    { title: "#", text: ({ number }) => String(number), align: "right" },
    { title: "WHEN", text: ({ storedAt }) => when(storedAt) },
    { title: "AT", text: ({ percent }) => `${Math.round(percent)}%`, align: "right" },
    { title: "TRIGGER", text: ({ trigger }) => trigger },
    {
      title: "OUTCOME",
      text: ({ outcome }) => outcome,
      paint: ({ isWhole }, text) => paint(isWhole ? "green" : "yellow", text),
    },
    { title: "DOCUMENT", text: ({ documentPath }) => documentPath },
  ];
}

function outcomeOf({ outcome, checks }: HandoffRecord): string {
  const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  const how = outcomeInWords(outcome);
  return failed.length > 0 ? `${how} (${failed.join(", ")})` : how;
}

function when(at: string): string {
  const time = new Date(at);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
