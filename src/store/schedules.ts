import type { Selectable } from "kysely";
import type { JobEvent } from "../job/events.ts";
import { type Conversation, putConversation } from "./conversations/conversations.ts";
import { listJobs } from "./job-list.ts";
import { createQueuedJobIn, type Wanted } from "./queue.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/** What is known of a schedule, besides what the configuration says. */
export interface ScheduleRow {
  agent: string;
  name: string;
  /** By which a change of its times is seen. */
  definition: string;
  /** Null where none ever comes. */
  nextDue: string | null;
  pausedAt: string | null;
  /** When it runs again by itself. */
  pausedUntil: string | null;
}

/** Due times in a row, and what became of them. */
export interface FireRow {
  agent: string;
  schedule: string;
  firstDue: string;
  due: string;
  count: number;
  outcome: string;
  reason: string | null;
  job: string | null;
  at: string;
}

type Fired = Omit<FireRow, "agent" | "schedule" | "job">;

export async function scheduleRows(store: Store): Promise<ScheduleRow[]> {
  const rows = await store.db.selectFrom("schedules").selectAll().execute();
  return rows.map(({ agent, name, definition, next_due, paused_at, paused_until }) => ({
    ...{ agent, name, definition, nextDue: next_due, pausedAt: paused_at, pausedUntil: paused_until },
  }));
}

/** Of one that was not known, or says other times than before. */
export async function putSchedule(
  store: Store,
  row: Omit<ScheduleRow, "pausedAt" | "pausedUntil">,
): Promise<void> {
  const { agent, name, definition, nextDue } = row;
  const changed = { definition, next_due: nextDue };
  await store.db
    .insertInto("schedules")
    .values({ agent, name, ...changed, paused_at: null, paused_until: null })
    .onConflict((conflict) => conflict.columns(["agent", "name"]).doUpdateSet(changed))
    .execute();
}

/** Null: it runs again. False where that changes nothing. */
export async function setPaused(
  store: Store,
  { agent, name }: Pick<ScheduleRow, "agent" | "name">,
  paused: { at: string; until: string | null } | null,
): Promise<boolean> {
  const { numUpdatedRows } = await store.db
    .updateTable("schedules")
    .set({ paused_at: paused?.at ?? null, paused_until: paused?.until ?? null })
    .where("agent", "=", agent)
    .where("name", "=", name)
    .where((is) =>
      paused === null
        ? is("paused_at", "is not", null)
        : is.or([is("paused_at", "is", null), is("paused_until", "is not", paused.until)]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A job that a fire puts into the queue. */
export interface FiredJob {
  id: string;
  created: Extract<JobEvent, { type: "job:created" }>;
  wanted: Wanted;
  /** The channel that hears what it comes to. */
  tells?: Conversation;
}

/**
 * Records what became of due times, with the jobs that they start, and when the next is due: all of it or nothing. False
 * where somebody else has done so since it was decided.
 */
export async function recordFires(
  store: Store,
  { agent, name, nextDue: before }: ScheduleRow,
  next: string | null,
  fires: readonly (Fired & { job?: FiredJob })[],
  now: Date,
): Promise<boolean> {
  return store.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable("schedules")
      .set({ next_due: next })
      .where("agent", "=", agent)
      .where("name", "=", name)
      .where("next_due", before === null ? "is" : "=", before)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    for (const { job, firstDue, due, count, outcome, reason, at } of fires) {
      if (job) await createQueuedJobIn(store, db, job.id, job.created, job.wanted, now);
      if (job?.tells) await putConversation(store, job.tells, db);
      await db
        .insertInto("fires")
        .values({
          agent,
          schedule: name,
          first_due: firstDue,
          due,
          count,
          outcome,
          reason,
          job: job?.id ?? null,
          at,
        })
        .execute();
    }
    return true;
  });
}

/** `before`: only those that were recorded before the one with this id. */
export interface FiresWanted {
  agent?: string;
  schedule?: string;
  before?: number;
}

/** The newest first. */
export async function firesOf(
  store: Store,
  limit: number,
  { agent, schedule, before }: FiresWanted = {},
): Promise<(FireRow & { id: number; status: string | null })[]> {
  let query = store.db
    .selectFrom("fires")
    .leftJoin("jobs", "jobs.id", "fires.job")
    .selectAll("fires")
    .select("jobs.status");
  if (agent !== undefined) query = query.where("fires.agent", "=", agent);
  if (schedule !== undefined) query = query.where("fires.schedule", "=", schedule);
  if (before !== undefined) query = query.where("fires.id", "<", before);
  const rows = await query.orderBy("fires.id", "desc").limit(limit).execute();
  return rows.map(({ id, status, ...fire }) => ({ id, ...fireOf({ id, ...fire }), status }));
}

/** Of each schedule the last, if that was since then. */
export async function lastFires(store: Store, since: Date): Promise<FireRow[]> {
  const rows = await store.db
    .selectFrom("fires")
    .selectAll()
    .where("id", "in", (is) =>
      is
        .selectFrom("fires")
        .select((of) => of.fn.max("id").as("id"))
        .groupBy(["agent", "schedule"]),
    )
    .where("at", ">=", since.toISOString())
    .orderBy("id", "desc")
    .execute();
  return rows.map(fireOf);
}

/** Schedules that are looking for work since they were due, and until when that was. */
export async function openLooks(store: Store): Promise<FireRow[]> {
  const rows = await store.db.selectFrom("fires").selectAll().where("outcome", "=", "looking").execute();
  return rows.map(fireOf);
}

/** Nothing is left that it could take. */
export async function closeLooks(
  store: Store,
  agent: string,
  schedule: string,
  reason: string,
): Promise<void> {
  await store.db
    .updateTable("fires")
    .set({ outcome: "looked", reason })
    .where("agent", "=", agent)
    .where("schedule", "=", schedule)
    .where("outcome", "=", "looking")
    .execute();
}

function fireOf(row: Selectable<Tables["fires"]>): FireRow {
  const { agent, schedule, first_due, due, count, outcome, reason, job, at } = row;
  return { agent, schedule, firstDue: first_due, due, count, outcome, reason, job, at };
}

const MOST_OPEN = 10_000;

/** How many jobs of a schedule wait in the queue, and how many run, whoever started them. */
export async function openRunsOf(
  store: Store,
  agent: string,
  schedule: string,
): Promise<{ waiting: number; running: number }> {
  const jobs = await listJobs(store, MOST_OPEN, {
    agent,
    status: ["created", "queued", "running", "waiting"],
  });
  const open = jobs.filter((job) => job.schedule === schedule);
  const waiting = open.filter(({ status }) => status === "queued" || status === "created").length;
  return { waiting, running: open.length - waiting };
}
