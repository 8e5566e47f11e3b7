import { type RawBuilder, type SqlBool, sql } from "kysely";
import { withCostBasis } from "../job/cost.ts";
import type { JobEvent, JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import { shortId } from "../job/id.ts";
import { emptyJob, type Job } from "../job/job.ts";
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

/** The jobs of these ids. Those that are not on record are missing. */
export async function jobsWith(store: Store, ids: readonly string[]): Promise<Job[]> {
  if (ids.length === 0) return [];
  const rows = await store.db.selectFrom("jobs").select(["id", "snapshot"]).where("id", "in", ids).execute();
  return Promise.all(rows.map((row) => jobOf(store, row)));
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
    .where((is) => is.or([beginsWith(sql`id`, idOrPrefix), beginsWith(sql`substr(id, 16)`, idOrPrefix)]))
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

/** As an index can look it up. After `~` comes nothing that is in an id. */
function beginsWith(text: RawBuilder<unknown>, beginning: string) {
  return sql<SqlBool>`(${text} >= ${beginning} AND ${text} < ${`${beginning}~`})`;
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
