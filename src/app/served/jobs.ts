import { fitted } from "../../display/width.ts";
import { describe } from "../../job/describe.ts";
import type { JobEventType, JournalEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import { type JobRow, jobRow } from "../../job/listed/row.ts";
import { jobView } from "../../job/view.ts";
import { eventPage, readEvents } from "../../store/events.ts";
import { type JobFilter, listJobs } from "../../store/job-list.ts";
import { oneLine } from "../../util/printable.ts";
import { rampUpsOf, usualRampUpOf } from "../cost/ramp-up.ts";
import type { QueuedView } from "../fleet/view.ts";
import { messagesFor } from "../jobs/messages.ts";
import { UsageError } from "../usage-error.ts";
import { NotFoundError } from "./not-found.ts";
import type { ServedProject } from "./projects.ts";

export type { JobRow } from "../../job/listed/row.ts";

/** A job of one of several projects. */
export interface FoundJob {
  where: ServedProject;
  job: Job;
}

/** The jobs of these projects, the newest first. `after`: where the page before ended. */
export async function jobsIn(
  projects: readonly ServedProject[],
  filter: JobFilter,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<{ jobs: FoundJob[]; next?: string }> {
  const last = after === undefined ? undefined : placeIn(after);
  const lists = await Promise.all(
    projects.map(async (where) =>
      (await listJobs(where.store, limit + 1, filter, last)).map((job) => ({ where, job })),
    ),
  );
  const found = lists.flat().toSorted((a, b) => (isNewer(a.job, b.job) ? -1 : 1));
  const jobs = found.slice(0, limit);
  const end = jobs.at(-1)?.job;
  return { jobs, ...(found.length > limit && end && { next: `${end.createdAt}~${end.id}` }) };
}

function isNewer(a: Job, b: Job): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt;
}

function placeIn(cursor: string): Pick<Job, "createdAt" | "id"> {
  const [createdAt, id] = cursor.split("~");
  if (createdAt && id) return { createdAt, id };
  throw new UsageError(`${oneLine(cursor)} is not where a page of jobs ended. Send what \`next\` said.`);
}

/** In a list of many. */
export function rowOf({ where, job }: FoundJob): JobRow & { project: string } {
  return { ...jobRow(job), project: where.key };
}

/** As `baton show --json` prints it, with its project. */
export async function jobAnswer({ where, job }: FoundJob, queue: readonly QueuedView[]) {
  const usual = rampUpsOf(job).length > 0 ? await usualRampUpOf(where.store, job.agent) : undefined;
  const messages = await messagesFor(where.store, job.id);
  const queued = queue.find((each) => each.job === job.id);
  return {
    ...jobView(job, usual),
    project: where.key,
    seq: job.seq,
    attempt: job.attempt,
    updatedAt: job.updatedAt,
    ...(messages.length > 0 && { messages }),
    ...(queued && { queued }),
  };
}

/** An event in a list: what it says in words, and how large it is. */
export interface EventHead {
  seq: number;
  at: string;
  attempt: number;
  type: JobEventType;
  /** Of a tool: what its beginning and its end share. */
  call?: string;
  /** Of a subagent's call: which one. */
  subagent?: string;
  tone?: string;
  title?: string;
  text?: string;
  /** Of the whole event, as JSON. */
  bytes: number;
  /** The whole of it, where it is small. */
  event?: JournalEvent;
}

const SMALL_BYTES = 1024;
const TEXT_WIDTH = 240;

export function headOf(event: JournalEvent): EventHead {
  const { seq, at, attempt, type } = event;
  const told = describe(event);
  const bytes = Buffer.byteLength(JSON.stringify(event));
  return {
    ...{ seq, at, attempt, type },
    ...((event.type === "tool:start" || event.type === "tool:end") && { call: event.id }),
    ...("subagent" in event && event.subagent !== undefined && { subagent: event.subagent }),
    ...(told && { tone: told.tone, title: oneLine(told.title) }),
    ...(told?.text && { text: fitted(oneLine(told.text), TEXT_WIDTH) }),
    bytes,
    ...(bytes <= SMALL_BYTES && { event }),
  };
}

interface EventsWanted {
  /** By their numbers. With `before` the page ends there, and without both it is the newest. */
  after?: number;
  before?: number;
  types?: readonly string[];
  limit: number;
}

interface EventsOfJob {
  job: string;
  /** Of the job's newest event. */
  seq: number;
  events: EventHead[];
  earlier?: number;
  later?: number;
}

/** Oldest first. `earlier` and `later`: where the pages beside it begin, if there is more. */
export async function eventsIn(
  { where, job }: FoundJob,
  { after, before, types, limit }: EventsWanted,
): Promise<EventsOfJob> {
  const fromStart = after !== undefined;
  const { events, next } = await eventPage(where.store, job.id, limit, {
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(types && { types }),
    order: fromStart ? "asc" : "desc",
  });
  const list = (fromStart ? events : events.toReversed()).map(headOf);
  return {
    job: job.id,
    seq: job.seq,
    events: list,
    ...(next !== undefined && (fromStart ? { later: next } : { earlier: next })),
  };
}

/** One of them, whole. */
export async function eventIn({ where, job }: FoundJob, seq: number): Promise<JournalEvent> {
  const [event] = await readEvents(where.store, job.id, seq - 1, 1);
  if (event?.seq === seq) return event;
  throw new NotFoundError(`${job.id} has no event ${seq}. Its newest is ${job.seq}.`);
}
