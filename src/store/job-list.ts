import { type SqlBool, sql } from "kysely";
import type { Job, JobStatus } from "../job/job.ts";
import { jobOf } from "./jobs.ts";
import type { Store } from "./store.ts";

/** Which jobs are wanted; without any of these, all. */
export interface JobFilter {
  /** It, or one of these. */
  status?: JobStatus | readonly JobStatus[];
  agent?: string;
  epic?: string;
  createdSince?: Date;
  updatedSince?: Date;
  finishedBefore?: Date;
  /** Whether something was handed off in it. */
  handedOff?: true;
  /** What its request contains, in whatever case: three characters at least. */
  text?: string;
  /** What the path of a file contains that a tool of its agent wrote. */
  file?: string;
}

/** Where a list of jobs goes on: after this one. */
export type AfterJob = Pick<Job, "createdAt" | "id">;

/** Newest first. `after`: only those that come after this one in the list. */
export async function listJobs(
  store: Store,
  limit: number,
  { status, ...filter }: JobFilter = {},
  after?: AfterJob,
): Promise<Job[]> {
  const statuses = status === undefined ? [undefined] : [...new Set([status].flat())];
  // An index has the jobs of one status in order, not those of several.
  const lists = await Promise.all(
    statuses.map((each) => rowsOf(store, limit, { ...filter, ...(each && { status: each }) }, after)),
  );
  const newest = lists
    .flat()
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at) || (a.id < b.id ? 1 : -1));
  return Promise.all(newest.slice(0, limit).map((row) => jobOf(store, row)));
}

type OneStatus = Omit<JobFilter, "status"> & { status?: JobStatus };

function rowsOf(store: Store, limit: number, filter: OneStatus, after: AfterJob | undefined) {
  const { status, agent, epic, createdSince, updatedSince, finishedBefore, handedOff, text, file } = filter;
  let query = store.db.selectFrom("jobs").select(["jobs.id", "created_at", "snapshot"]);
  if (status !== undefined) query = query.where("status", "=", status);
  if (agent !== undefined) query = query.where("agent", "=", agent);
  if (epic !== undefined) query = query.where("epic", "=", epic);
  if (createdSince) query = query.where("created_at", ">=", createdSince.toISOString());
  if (updatedSince) query = query.where("updated_at", ">=", updatedSince.toISOString());
  if (finishedBefore) query = query.where("finished_at", "<", finishedBefore.toISOString());
  // Not as a parameter: the index over just these jobs is only used where the query says so itself.
  if (handedOff) query = query.where("handoffs", ">", sql.lit(0));
  if (file !== undefined) {
    const path = `%${file.replaceAll(/[\\%_]/g, "\\$&")}%`;
    const writers = store.db
      .selectFrom("written_files")
      .select("job")
      .where(sql<SqlBool>`path LIKE ${path} ESCAPE '\\'`);
    query = query.where("jobs.id", "in", writers);
  }
  if (after) {
    const { createdAt, id } = after;
    query = query.where((is) => is(is.refTuple("created_at", "id"), "<", is.tuple(createdAt, id)));
  }
  if (text === undefined) {
    return query.orderBy("created_at", "desc").orderBy("jobs.id", "desc").limit(limit).execute();
  }
  // The index of texts has jobs by their numbers, so that the newest are found without a look at all others.
  const from = after && store.db.selectFrom("jobs").select("number").where("id", "=", after.id);
  let found = query
    .innerJoin("job_text", "job_text.rowid", "jobs.number")
    .where("job_text.job_text", "match", phrase(text));
  if (from)
    found = found.where((is) => is("job_text.rowid", "<", is.fn.coalesce(from, sql<number>`1 << 60`)));
  return found.orderBy("job_text.rowid", "desc").limit(limit).execute();
}

/** As it stands, whatever it means to the index. */
function phrase(text: string): string {
  return `"${text.replaceAll("\u0000", " ").replaceAll('"', '""')}"`;
}

/** A part of a list, and where the next one begins: undefined where there is none. */
export interface JobPage {
  jobs: Job[];
  next: AfterJob | undefined;
}

export async function jobPage(
  store: Store,
  limit: number,
  filter: JobFilter = {},
  after?: AfterJob,
): Promise<JobPage> {
  const found = await listJobs(store, limit + 1, filter, after);
  const jobs = found.slice(0, limit);
  const last = jobs.at(-1);
  return {
    jobs,
    next: found.length > limit && last ? { createdAt: last.createdAt, id: last.id } : undefined,
  };
}

/** Few at a time: what else this process does, a running job above all, gets its turn in between. */
const PAGE = 20;

/** All of them, newest first, in the state in which each page of the list was. */
export async function* allJobs(store: Store, filter: JobFilter): AsyncGenerator<Job> {
  for (let after: AfterJob | undefined; ; ) {
    const { jobs, next } = await jobPage(store, PAGE, filter, after);
    yield* jobs;
    after = next;
    if (!next) return;
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
    .selectFrom("job_sums")
    .select((is) => ["status", is.fn.sum<number>("jobs").as("count")])
    .groupBy("status")
    .execute();
  return Object.fromEntries(rows.flatMap(({ status, count }) => (count > 0 ? [[status, count]] : [])));
}

/** Of all jobs on record together. Those without any are not looked at. */
export async function countHandoffs({ db }: Store): Promise<number> {
  const row = await db
    .selectFrom("jobs")
    .select((is) => is.fn.sum<number | null>("handoffs").as("handoffs"))
    .where("handoffs", ">", 0)
    .executeTakeFirst();
  return Number(row?.handoffs ?? 0);
}
