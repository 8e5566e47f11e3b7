import type { JobEventType, JournalEvent } from "../job/events.ts";
import { journalEventIn } from "./events.ts";
import type { Store } from "./store.ts";

/** An event with its number among those of all jobs, and with whose it is. */
export interface NumberedEvent {
  id: number;
  agent: string;
  event: JournalEvent;
}

interface Wanted {
  /** Between these numbers. */
  after: number;
  before?: number;
  limit: number;
  order: "asc" | "desc";
}

/** Events of all jobs, of these types. */
export async function eventsOfAll(
  store: Store,
  types: readonly JobEventType[],
  { after, before, limit, order }: Wanted,
): Promise<NumberedEvent[]> {
  let query = store.db
    .selectFrom("events")
    .innerJoin("jobs", "jobs.id", "events.job")
    .selectAll("events")
    .select("jobs.agent")
    .where("events.id", ">", after)
    .where("events.type", "in", types);
  if (before !== undefined) query = query.where("events.id", "<", before);
  const rows = await query.orderBy("events.id", order).limit(limit).execute();
  return rows.map(({ agent, ...row }) => ({ id: Number(row.id), agent, event: journalEventIn(store, row) }));
}

/** 0 where there is none. */
export async function latestId({ db }: Store): Promise<number> {
  const row = await db.selectFrom("events").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** All events after this one, of all jobs, oldest first. */
export async function eventsAfter(
  store: Store,
  after: number,
  limit: number,
): Promise<{ id: number; event: JournalEvent }[]> {
  const rows = await store.db
    .selectFrom("events")
    .selectAll()
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: Number(row.id), event: journalEventIn(store, row) }));
}
