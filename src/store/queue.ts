import type { Kysely } from "kysely";
import type { JobEvent, JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import { emptyJob, type Job, type JobStatus } from "../job/job.ts";
import { liveness, type Owner } from "../processes/owner.ts";
import { refuseOwner } from "./claims.ts";
import { JobNotFoundError } from "./errors.ts";
import { insertEvents, parsed } from "./events.ts";
import { rowOfJob } from "./job-row.ts";
import { jobOf } from "./jobs.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/** How somebody wants a job to wait. */
export interface Wanted {
  priority: number;
  /** Ids of jobs that must be completed first. */
  after?: string[];
  /** Of jobs with the same one, only one runs at a time. */
  serial?: string;
}

/** A job that the fleet is to run. */
export interface QueueEntry {
  job: string;
  agent: string;
  status: JobStatus;
  priority: number;
  place: number;
  after: string[];
  queuedAt: string;
  held: string | null;
  heldUntil: string | null;
  serial: string | null;
  /** Whether a process has it that may be alive. */
  isOwned: boolean;
}

/** What is said in the journal of a job that is queued again. */
type Why = Pick<Queued, "message" | "chosen">;

type Queued = Extract<JobEvent, { type: "job:queued" }>;

/** Puts a job on record and into the queue, in one step. */
export async function createQueuedJob(
  store: Store,
  id: string,
  created: Extract<JobEvent, { type: "job:created" }>,
  wanted: Wanted,
  now: Date,
): Promise<Job> {
  return store.db.transaction().execute((db) => createQueuedJobIn(store, db, id, created, wanted, now));
}

/** The same within a transaction. */
export async function createQueuedJobIn(
  store: Store,
  db: Kysely<Tables>,
  id: string,
  created: Extract<JobEvent, { type: "job:created" }>,
  wanted: Wanted,
  now: Date,
): Promise<Job> {
  const at = now.toISOString();
  const events: JournalEvent[] = [
    { seq: 1, at, job: id, attempt: 0, ...created },
    { seq: 2, at, job: id, attempt: 0, ...queuedEvent(wanted) },
  ];
  const job = events.reduce(apply, emptyJob(id));
  const row = { id, agent: job.agent, created_at: job.createdAt, attempt: 0, owner: null };
  await db
    .insertInto("jobs")
    .values({ ...row, ...rowOfJob(job) })
    .execute();
  await insertEvents(store, db, events);
  await putInQueue(db, job, wanted, at);
  return job;
}

/**
 * Puts a job that rests into the queue, or back into it: then what it was queued with still holds. Refused while a process
 * that may be alive has it. Undefined where it is no longer there to be queued, because it was cancelled or has ended.
 */
export async function queueAgain(
  store: Store,
  id: string,
  { wanted, ...why }: { wanted?: Wanted } & Why,
  now: Date,
): Promise<Job | undefined> {
  return store.db.transaction().execute(async (db) => {
    // A write comes first, so that nobody can claim the job meanwhile.
    const row = await db
      .updateTable("jobs")
      .set((is) => ({ attempt: is("attempt", "+", 1), hears: 1 }))
      .where("id", "=", id)
      .returning(["id", "attempt", "owner", "snapshot"])
      .executeTakeFirst();
    if (row === undefined) throw new JobNotFoundError(id);
    refuseOwner(store, id, row.owner);
    const job = await jobOf(store, row);
    if (job.status === "completed" || job.status === "queued") return undefined;
    const known = await db
      .selectFrom("queue")
      .select(["priority", "after"])
      .where("job", "=", id)
      .executeTakeFirst();
    const how = wanted ?? (known && wantedIn(store, known));
    if (!how) return undefined;
    const at = now.toISOString();
    const event: JournalEvent = {
      ...{ seq: job.seq + 1, at, job: id, attempt: row.attempt },
      ...queuedEvent(how, why),
    };
    const queued = apply(job, event);
    await db
      .updateTable("jobs")
      .set({ owner: null, ...rowOfJob(queued) })
      .where("id", "=", id)
      .execute();
    await insertEvents(store, db, [event]);
    if (!known) await putInQueue(db, job, how, at);
    else if (wanted) await db.updateTable("queue").set(columnsOf(wanted)).where("job", "=", id).execute();
    return queued;
  });
}

export function queuedEvent({ priority, after }: Wanted, { message, chosen }: Why = {}): Queued {
  return {
    type: "job:queued",
    priority,
    ...(after && after.length > 0 && { after }),
    ...(message !== undefined && { message }),
    ...(chosen && { chosen }),
  };
}

export function wantedIn(store: Store, row: Pick<Tables["queue"], "priority" | "after">): Wanted {
  const after: string[] = row.after === null ? [] : parsed(store, row.after);
  return { priority: row.priority, ...(after.length > 0 && { after }) };
}

async function putInQueue(db: Kysely<Tables>, { id, agent }: Job, wanted: Wanted, at: string): Promise<void> {
  const last = await db
    .selectFrom("queue")
    .select((is) => is.fn.max("place").as("place"))
    .executeTakeFirst();
  await db
    .insertInto("queue")
    .values({
      ...{ job: id, agent, place: Number(last?.place ?? 0) + 1, queued_at: at },
      ...{ held: null, held_until: null, serial: wanted.serial ?? null },
      ...columnsOf(wanted),
    })
    .execute();
}

function columnsOf({ priority, after = [] }: Wanted): Pick<Tables["queue"], "priority" | "after"> {
  return { priority, after: after.length > 0 ? JSON.stringify(after) : null };
}

/** Gives a job that waits another place. Undefined where it waits no more. */
export async function moveInQueue(
  store: Store,
  id: string,
  move: Partial<Wanted>,
  now: Date,
): Promise<Job | undefined> {
  return store.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable("jobs")
      .set({ hears: 1 })
      .where("id", "=", id)
      .where("status", "=", "queued")
      .where("owner", "is", null)
      .returning(["id", "attempt", "snapshot"])
      .executeTakeFirst();
    const known = await db
      .selectFrom("queue")
      .select(["priority", "after"])
      .where("job", "=", id)
      .executeTakeFirst();
    if (row === undefined || known === undefined) return undefined;
    const wanted = { ...wantedIn(store, known), ...move };
    const job = await jobOf(store, row);
    const event: JournalEvent = {
      ...{ seq: job.seq + 1, at: now.toISOString(), job: id, attempt: row.attempt },
      ...queuedEvent(wanted, { message: MOVED }),
    };
    const moved = apply(job, event);
    await db.updateTable("jobs").set(rowOfJob(moved)).where("id", "=", id).execute();
    await insertEvents(store, db, [event]);
    // Whoever moves it wants it to be tried.
    const tried = { held: null, held_until: null };
    await db
      .updateTable("queue")
      .set({ ...columnsOf(wanted), ...tried })
      .where("job", "=", id)
      .execute();
    return moved;
  });
}

const MOVED = "by `baton queue move`";

/** All that the fleet is to run, in the order in which they came. */
export async function queueEntries(store: Store): Promise<QueueEntry[]> {
  const rows = await store.db
    .selectFrom("queue")
    .innerJoin("jobs", "jobs.id", "queue.job")
    .selectAll("queue")
    .select(["jobs.status", "jobs.owner"])
    .orderBy("queue.place")
    .execute();
  const seen = new Map<string, boolean>();
  // A fleet has hundreds of them.
  const isAlive = (owner: string) => {
    const known = seen.get(owner) ?? liveness(parsed<Owner>(store, owner)) !== "dead";
    seen.set(owner, known);
    return known;
  };
  return rows.map(
    ({ job, agent, status, priority, place, after, queued_at, held, held_until, owner, serial }) => ({
      ...{ job, agent, status, priority, place, held, queuedAt: queued_at, heldUntil: held_until, serial },
      after: after === null ? [] : parsed<string[]>(store, after),
      isOwned: owner !== null && isAlive(owner),
    }),
  );
}

/** The fleet has nothing more to do for it. */
export async function leaveQueue(store: Store, job: string): Promise<void> {
  await store.db.deleteFrom("queue").where("job", "=", job).execute();
}

/** Why it could not be started, for people; until then nobody tries again. Null: it can be tried at once. */
export async function holdInQueue(
  store: Store,
  job: string,
  held: { why: string; until: Date } | null,
): Promise<void> {
  await store.db
    .updateTable("queue")
    .set({ held: held?.why ?? null, held_until: held?.until.toISOString() ?? null })
    .where("job", "=", job)
    .execute();
}

/** The states of these jobs, by their ids. Those that are not on record are missing. */
export async function statusesOf(store: Store, jobs: readonly string[]): Promise<Map<string, JobStatus>> {
  if (jobs.length === 0) return new Map();
  const rows = await store.db.selectFrom("jobs").select(["id", "status"]).where("id", "in", jobs).execute();
  return new Map(rows.map(({ id, status }) => [id, status]));
}
