import { sql } from "kysely";
import { withCostBasis } from "../job/cost.ts";
import type { JobEvent, JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import { shortId } from "../job/id.ts";
import { emptyJob, type Job, type JobStatus } from "../job/job.ts";
import { liveness, type Owner } from "../processes/owner.ts";
import { nearest } from "../util/nearest.ts";
import { AmbiguousJobError, JobNotFoundError } from "./errors.ts";
import { insertEvents, parsed, readEvents } from "./events.ts";
import { rowOfJob } from "./job-row.ts";
import type { Store } from "./store.ts";

/** Puts a job on record. Nobody owns it yet. */
export async function createJob(
  store: Store,
  id: string,
  created: Extract<JobEvent, { type: "job:created" }>,
  now: Date,
): Promise<Job> {
  const event: JournalEvent = { seq: 1, at: now.toISOString(), job: id, attempt: 0, ...created };
  const job = apply(emptyJob(id), event);
  await store.db.transaction().execute(async (db) => {
    const row = { id, agent: job.agent, created_at: job.createdAt, attempt: 0, owner: null };
    await db
      .insertInto("jobs")
      .values({ ...row, ...rowOfJob(job) })
      .execute();
    await insertEvents(store, db, [event]);
  });
  return job;
}

/** Which jobs are wanted; without any of these, all. */
export interface JobFilter {
  /** It, or one of these. */
  status?: JobStatus | readonly JobStatus[];
  agent?: string;
  epic?: string;
  createdSince?: Date;
  finishedBefore?: Date;
  /** Whether something was handed off in it. */
  handedOff?: true;
}

/** Newest first. `after`: only those that come after this one in the list. */
export async function listJobs(
  store: Store,
  limit: number,
  { status, agent, epic, createdSince, finishedBefore, handedOff }: JobFilter = {},
  after?: Job,
): Promise<Job[]> {
  let query = store.db.selectFrom("jobs").select(["id", "snapshot"]);
  if (status !== undefined) query = query.where("status", "in", [status].flat());
  if (agent !== undefined) query = query.where("agent", "=", agent);
  if (epic !== undefined) query = query.where("epic", "=", epic);
  if (createdSince) query = query.where("created_at", ">=", createdSince.toISOString());
  if (finishedBefore) query = query.where("finished_at", "<", finishedBefore.toISOString());
  // Not as a parameter: the index over just these jobs is only used where the query says so itself.
  if (handedOff) query = query.where("handoffs", ">", sql.lit(0));
  if (after) {
    const { createdAt, id } = after;
    query = query.where((is) => is(is.refTuple("created_at", "id"), "<", is.tuple(createdAt, id)));
  }
  const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
  return Promise.all(rows.map((row) => jobOf(store, row)));
}

/** Few at a time: what else this process does, a running job above all, gets its turn in between. */
const PAGE = 20;

/** All of them, newest first, in the state in which each page of the list was. */
export async function* allJobs(store: Store, filter: JobFilter): AsyncGenerator<Job> {
  for (let last: Job | undefined; ; ) {
    const jobs = await listJobs(store, PAGE, filter, last);
    yield* jobs;
    last = jobs.at(-1);
    if (jobs.length < PAGE) return;
  }
}

/** The retries and forks of a job, oldest first. */
export async function childrenOf(store: Store, parent: string): Promise<Job[]> {
  const rows = await store.db
    .selectFrom("jobs")
    .select(["id", "snapshot"])
    .where("parent", "=", parent)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return Promise.all(rows.map((row) => jobOf(store, row)));
}

/** How many jobs are in each state in which there are some. */
export async function countJobs(store: Store): Promise<Partial<Record<JobStatus, number>>> {
  const rows = await store.db
    .selectFrom("jobs")
    .select((is) => ["status", is.fn.countAll().as("count")])
    .groupBy("status")
    .execute();
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** The job of exactly this id. */
export async function getJob(store: Store, id: string): Promise<Job> {
  const row = await rowById(store, id);
  if (!row) throw new JobNotFoundError(id);
  return jobOf(store, row);
}

function rowById(store: Store, id: string) {
  return store.db.selectFrom("jobs").select(["id", "snapshot"]).where("id", "=", id).executeTakeFirst();
}

/** Finds a job by its id, or by the beginning of the id or of its random part where that is enough to tell. */
export async function findJob(store: Store, idOrPrefix: string): Promise<Job> {
  // No other character is in an id, and some would have a meaning in the patterns below.
  if (!/^[a-z0-9-]+$/.test(idOrPrefix)) throw await noJob(store, idOrPrefix);
  const exact = await rowById(store, idOrPrefix);
  if (exact) return jobOf(store, exact);
  const rows = await store.db
    .selectFrom("jobs")
    .select(["id", "snapshot"])
    .where((is) =>
      is.or([is("id", "like", `${idOrPrefix}%`), is("id", "like", `job-____-__-__-${idOrPrefix}%`)]),
    )
    .orderBy("id")
    .limit(20)
    .execute();
  const [row, ...others] = rows;
  if (row === undefined) throw await noJob(store, idOrPrefix);
  if (others.length > 0) {
    throw new AmbiguousJobError(
      idOrPrefix,
      rows.map(({ id }) => id),
    );
  }
  return jobOf(store, row);
}

/** Among so many of the newest, what was typed can be told apart. */
const COMPARED = 200;

/** What was typed is compared with whole ids, with their random parts, and with as much of these as was typed. */
async function noJob(store: Store, typed: string): Promise<JobNotFoundError> {
  const rows = await store.db
    .selectFrom("jobs")
    .select("id")
    .orderBy("created_at", "desc")
    .limit(COMPARED)
    .execute();
  const known = new Map<string, string>();
  for (const { id } of rows.reverse()) {
    const part = shortId(id);
    for (const name of [part.slice(0, typed.length), part, id]) known.set(name, id);
  }
  const meant = nearest(typed, [...known.keys()]);
  return new JobNotFoundError(typed, meant === undefined ? undefined : known.get(meant));
}

/** Whether a process has the job that lives, as far as can be seen from here. */
export async function isClaimed(store: Store, id: string): Promise<boolean> {
  const row = await store.db.selectFrom("jobs").select("owner").where("id", "=", id).executeTakeFirst();
  if (!row?.owner) return false;
  return liveness(parsed<Owner>(store, row.owner)) !== "dead";
}

/** The jobs of which Baton has a worktree, or the branch of one, to keep or remove. */
export async function jobsThatLeave(store: Store): Promise<Job[]> {
  const rows = await store.db
    .selectFrom("jobs")
    .select(["id", "snapshot"])
    .where("leaves", "is not", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return Promise.all(rows.map((row) => jobOf(store, row)));
}

export async function jobOf(store: Store, row: { id: string; snapshot: string | null }): Promise<Job> {
  if (row.snapshot !== null) return withCostBasis(parsed(store, row.snapshot));
  let job = emptyJob(row.id);
  for (;;) {
    const events = await readEvents(store, row.id, job.seq);
    if (events.length === 0) return job;
    job = events.reduce(apply, job);
  }
}
