import type { Insertable, Kysely, Selectable } from "kysely";
import { currentEvent, EVENT_VERSION } from "../job/event-versions.ts";
import type { JobEvent, JournalEvent } from "../job/events.ts";
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
function rowOf({ job, seq, at, attempt, type, ...data }: JournalEvent): Insertable<Tables["events"]> {
  return { job, seq, at, attempt, version: EVENT_VERSION, type, data: JSON.stringify(data) };
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
  return rows.map((row) => journalEventIn(store, row));
}

/** Which events of a job are wanted: between these two, the oldest or the newest of them first. */
export interface EventsWanted {
  after?: number;
  before?: number;
  types?: readonly string[];
  order: "asc" | "desc";
}

/** A part of a job's events, and where the next one begins in the same order: undefined where there is none. */
export interface EventPage {
  events: JournalEvent[];
  next: number | undefined;
}

export async function eventPage(
  store: Store,
  job: string,
  limit: number,
  { after, before, types, order }: EventsWanted,
): Promise<EventPage> {
  let query = store.db.selectFrom("events").selectAll().where("job", "=", job);
  if (after !== undefined) query = query.where("seq", ">", after);
  if (before !== undefined) query = query.where("seq", "<", before);
  if (types) query = query.where("type", "in", types);
  const rows = await query
    .orderBy("seq", order)
    .limit(limit + 1)
    .execute();
  const events = rows.slice(0, limit).map((row) => journalEventIn(store, row));
  return { events, next: rows.length > limit ? events.at(-1)?.seq : undefined };
}

export function journalEventIn(store: Store, row: Selectable<Tables["events"]>): JournalEvent {
  const { seq, at, job, attempt } = row;
  return { seq, at, job, attempt, ...eventIn(store, row) };
}

export async function latestEvent<T extends JobEvent["type"]>(
  store: Store,
  job: string,
  type: T,
): Promise<Extract<JobEvent, { type: T }> | undefined> {
  const row = await ofType(store, job, type).orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row && [eventIn(store, row)].find(isOfType(type));
}

/** The latest of these types, newest first. `after`: only those after this one. */
export async function latestEvents(
  store: Store,
  job: string,
  types: readonly JobEvent["type"][],
  limit: number,
  after = 0,
): Promise<JournalEvent[]> {
  const rows = await store.db
    .selectFrom("events")
    .selectAll()
    .where("job", "=", job)
    .where("seq", ">", after)
    .where("type", "in", types)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => journalEventIn(store, row));
}

/** Oldest first. */
export async function eventsOfType<T extends JobEvent["type"]>(
  store: Store,
  job: string,
  type: T,
): Promise<Extract<JobEvent, { type: T }>[]> {
  const rows = await ofType(store, job, type).orderBy("seq").execute();
  return rows.map((row) => eventIn(store, row)).filter(isOfType(type));
}

function ofType(store: Store, job: string, type: JobEvent["type"]) {
  return store.db
    .selectFrom("events")
    .select(["type", "version", "data"])
    .where("job", "=", job)
    .where("type", "=", type);
}

function isOfType<T extends JobEvent["type"]>(type: T) {
  return (event: JobEvent): event is Extract<JobEvent, { type: T }> => event.type === type;
}

type StoredEvent = Pick<Selectable<Tables["events"]>, "type" | "version" | "data">;

/** Whatever reads an event reads it here, so that nothing else need know how it was written in earlier versions. */
export function eventIn(store: Store, { type, version, data }: StoredEvent): JobEvent {
  return currentEvent(Object.assign({ type }, parsed<JobEvent>(store, data)), version);
}

/** What Baton wrote as JSON. If it is no longer that, the file was changed by something else. */
export function parsed<T>(store: Store, json: string): T {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new StoreError("damaged", store.path, error);
  }
}
