import type { Kysely } from "kysely";
import type { JobEvent, JournalEvent } from "../job/events.ts";
import { type Job, leavesOf } from "../job/job.ts";
import { StoreError } from "./errors.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/** Another process has taken the job over since. Its agent must be stopped and nothing more be written. */
export class FencedError extends Error {
  override readonly name = "FencedError";
  readonly job: string;
  readonly attempt: number;

  constructor(job: string, attempt: number) {
    super(
      `Attempt ${attempt} of ${job} was replaced by a later one, so it may write nothing more. See \`baton show ${job}\`.`,
    );
    this.job = job;
    this.attempt = attempt;
  }
}

/** Makes `events` durable together with `job`, their fold, or nothing of it when `attempt` is no longer the latest. */
export async function appendEvents(store: Store, job: Job, attempt: number, events: JournalEvent[]) {
  await store.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable("jobs")
      .set({ seq: job.seq, snapshot: JSON.stringify(job), leaves: leavesOf(job) })
      .where("id", "=", job.id)
      .where("attempt", "=", attempt)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new FencedError(job.id, attempt);
    await insertEvents(store, db, events);
  });
}

const rowsPerInsert = 64;

/** Building a query costs Kysely more than running it costs SQLite, so each size of insert is built once. */
export async function insertEvents(
  { inserts }: Store,
  db: Kysely<Tables>,
  events: JournalEvent[],
): Promise<void> {
  for (let start = 0; start < events.length; start += rowsPerInsert) {
    const rows = events.slice(start, start + rowsPerInsert).map(rowOf);
    const query = inserts.get(rows.length) ?? db.insertInto("events").values(rows).compile();
    inserts.set(rows.length, query);
    await db.executeQuery({ ...query, parameters: rows.flatMap(Object.values) });
  }
}

/** The order of the keys is the order of the parameters. */
function rowOf({ job, seq, at, attempt, type, ...data }: JournalEvent): Tables["events"] {
  return { job, seq, at, attempt, type, data: JSON.stringify(data) };
}

/** The next events of a job, oldest first. Fewer than `limit` means that these are all for now. */
export async function readEvents(store: Store, job: string, after: number, limit = 500) {
  const rows = await store.db
    .selectFrom("events")
    .selectAll()
    .where("job", "=", job)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map((row): JournalEvent => {
    const { seq, at, job, attempt, type, data } = row;
    return Object.assign({ seq, at, job, attempt, type }, parsed<JobEvent>(store, data));
  });
}

export async function latestEvent<T extends JobEvent["type"]>(
  store: Store,
  job: string,
  type: T,
): Promise<Extract<JobEvent, { type: T }> | undefined> {
  const row = await store.db
    .selectFrom("events")
    .select("data")
    .where("job", "=", job)
    .where("type", "=", type)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && parsed<Extract<JobEvent, { type: T }>>(store, row.data);
}

/** Oldest first. */
export async function eventsOfType<T extends JobEvent["type"]>(
  store: Store,
  job: string,
  type: T,
): Promise<Extract<JobEvent, { type: T }>[]> {
  const rows = await store.db
    .selectFrom("events")
    .select("data")
    .where("job", "=", job)
    .where("type", "=", type)
    .orderBy("seq")
    .execute();
  return rows.map(({ data }) => parsed<Extract<JobEvent, { type: T }>>(store, data));
}

/** What Baton wrote as JSON. If it is no longer that, the file was changed by something else. */
export function parsed<T>(store: Store, json: string): T {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new StoreError("damaged", store.path, error);
  }
}
