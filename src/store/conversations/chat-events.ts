import { parsed } from "../events.ts";
import type { Store } from "../store.ts";
import type { Db } from "./conversations.ts";

/** Something that a chat service told and nothing has come of yet. */
export interface OpenChatEvent<T> {
  id: string;
  conversation: string;
  event: T;
}

/** Records what a service told. False where it was told before. */
export async function recordChatEvent(
  store: Store,
  { id, conversation, event }: OpenChatEvent<unknown>,
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await store.db
    .insertInto("chat_events")
    .values({ id, conversation, event: JSON.stringify(event), at: now.toISOString(), done_at: null })
    .onConflict((on) => on.column("id").doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

/** Oldest first. */
export async function openChatEvents<T>(store: Store): Promise<OpenChatEvent<T>[]> {
  const rows = await store.db
    .selectFrom("chat_events")
    .select(["id", "conversation", "event"])
    .where("done_at", "is", null)
    .orderBy("at")
    .orderBy("id")
    .execute();
  return rows.map(({ event, ...row }) => ({ ...row, event: parsed<T>(store, event ?? "null") }));
}

/** The ids of the last events that a service told, whatever came of them. */
export async function lastChatEvents(store: Store, service: string, most: number): Promise<string[]> {
  const rows = await store.db
    .selectFrom("chat_events")
    .select("id")
    .where("id", "like", `${service}:%`)
    .orderBy("at", "desc")
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

/** What it says is no longer kept. False where it was done already. */
export async function chatEventDone(
  store: Store,
  id: string,
  now: Date,
  db: Db = store.db,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("chat_events")
    .set({ done_at: now.toISOString(), event: null })
    .where("id", "=", id)
    .where("done_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A service tells again what it told days ago at most. The last says from where on it is asked what was missed. */
export async function forgetChatEvents(store: Store, before: Date): Promise<void> {
  await store.db
    .deleteFrom("chat_events")
    .where("done_at", "<", before.toISOString())
    .where("at", "<", ({ selectFrom }) =>
      selectFrom("chat_events").select(({ fn }) => fn.max("at").as("last")),
    )
    .execute();
}
