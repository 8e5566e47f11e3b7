import type { Kysely } from "kysely";
import type { JournalEvent } from "../../job/events.ts";
import { parsed } from "../events.ts";
import type { Store } from "../store.ts";
import type { ConversationKind, Tables } from "../tables.ts";

/** Where a conversation is, as the service says it. */
interface RecordedPlace {
  key: string;
  channel: string;
  thread?: string;
  isDirect: boolean;
  url?: string;
}

/** The message that shows what the agent is doing. `ref`: where it is, once that is known. */
export interface StatusMessage {
  nonce: string;
  ref?: string;
}

/** A message that shows a text as it comes, until all of the text is in the outbox. `ref`: where it is, once that is known. */
export interface LiveMessage {
  nonce: string;
  ref?: string;
}

export interface Conversation {
  key: string;
  kind: ConversationKind;
  place: RecordedPlace;
  service: string;
  agent: string;
  job: string | null;
  session: string | null;
  toldSeq: number;
  lastAt: string;
  endedAt: string | null;
  /** Oldest first. */
  live: LiveMessage[];
  status: StatusMessage | null;
}

export type Db = Kysely<Tables>;

/** In the transaction that makes the events durable: a message that comes after a handoff never finds the old session. */
export async function followConversations(db: Db, events: readonly JournalEvent[]): Promise<void> {
  for (const event of events) {
    if (event.type !== "session:starting") continue;
    await db
      .updateTable("conversations")
      .set({ session: event.session })
      .where("job", "=", event.job)
      .execute();
  }
}

export async function conversationAt(
  store: Store,
  key: string,
  db: Db = store.db,
): Promise<Conversation | undefined> {
  const row = await db.selectFrom("conversations").selectAll().where("key", "=", key).executeTakeFirst();
  return row && conversationOf(store, row);
}

/** Whether people have ever had a conversation in a channel, or in a thread of it. */
export async function hasTalkedIn(store: Store, service: string, channel: string): Promise<boolean> {
  const rows = await store.db
    .selectFrom("conversations")
    .select("place")
    .where("service", "=", service)
    .where("kind", "=", "talk")
    .execute();
  return rows.some(({ place }) => parsed<RecordedPlace>(store, place).channel === channel);
}

/** Those that people have in a service and that are not over. */
export async function openConversations(store: Store, service: string): Promise<Conversation[]> {
  const rows = await store.db
    .selectFrom("conversations")
    .selectAll()
    .where("service", "=", service)
    .where("kind", "=", "talk")
    .where("ended_at", "is", null)
    .execute();
  return rows.map((row) => conversationOf(store, row));
}

/** Those that a job serves, and those that hear of it. */
export async function conversationsOf(store: Store, job: string): Promise<Conversation[]> {
  const rows = await store.db.selectFrom("conversations").selectAll().where("job", "=", job).execute();
  return rows.map((row) => conversationOf(store, row));
}

export async function putConversation(store: Store, wanted: Conversation, db: Db = store.db): Promise<void> {
  const { key, kind, place, service, agent, job, session, toldSeq, lastAt, endedAt, live, status } = wanted;
  const row = {
    ...{ kind, service, agent, job, session, live: JSON.stringify(live) },
    ...{ place: JSON.stringify(place), told_seq: toldSeq, last_at: lastAt, ended_at: endedAt },
    status: status && JSON.stringify(status),
  };
  await db
    .insertInto("conversations")
    .values({ key, ...row })
    .onConflict((on) => on.column("key").doUpdateSet(row))
    .execute();
}

/** Changes some of it. What it is and where stays. */
export async function changeConversation(
  store: Store,
  key: string,
  change: Partial<Pick<Conversation, "toldSeq" | "lastAt" | "endedAt" | "status">>,
  db: Db = store.db,
): Promise<void> {
  const { toldSeq, lastAt, endedAt, status } = change;
  const set = {
    ...(toldSeq !== undefined && { told_seq: toldSeq }),
    ...(lastAt !== undefined && { last_at: lastAt }),
    ...(endedAt !== undefined && { ended_at: endedAt }),
    ...(status !== undefined && { status: status && JSON.stringify(status) }),
  };
  await db.updateTable("conversations").set(set).where("key", "=", key).execute();
}

/** A message that shows a text as it comes is about to be begun. */
export async function liveBegun(store: Store, key: string, nonce: string): Promise<void> {
  await changeLive(store, key, (live) => [...live, { nonce }]);
}

/** It is there, and this is where; or it continues in another message. What waits in the outbox to complete it knows that too. */
export async function liveAt(
  store: Store,
  key: string,
  { nonce, ref }: Required<LiveMessage>,
): Promise<void> {
  await changeLive(store, key, (live) => live.map((each) => (each.nonce === nonce ? { nonce, ref } : each)));
  await store.db
    .updateTable("chat_outbox")
    .set({ ref })
    .where("conversation", "=", key)
    .where("nonce", "=", nonce)
    .where("sent_at", "is", null)
    .execute();
}

/** What it showed is in the outbox, or will never be complete. Resolves with what was known of it. */
export async function liveOver(
  store: Store,
  key: string,
  nonce: string,
  db?: Db,
): Promise<LiveMessage | undefined> {
  const live = await changeLive(store, key, (all) => all.filter((each) => each.nonce !== nonce), db);
  return live.find((each) => each.nonce === nonce);
}

/** Resolves with how it was before. */
async function changeLive(
  store: Store,
  key: string,
  change: (live: LiveMessage[]) => LiveMessage[],
  within?: Db,
): Promise<LiveMessage[]> {
  const work = async (db: Db) => {
    // A write comes first, so that nobody changes it meanwhile.
    const row = await db
      .updateTable("conversations")
      .set((is) => ({ live: is.ref("live") }))
      .where("key", "=", key)
      .returning("live")
      .executeTakeFirst();
    const before = liveIn(store, row?.live ?? null);
    const live = JSON.stringify(change(before));
    await db.updateTable("conversations").set({ live }).where("key", "=", key).execute();
    return before;
  };
  return within ? work(within) : store.db.transaction().execute(work);
}

function liveIn(store: Store, live: string | null): LiveMessage[] {
  return live ? parsed(store, live) : [];
}

/** Of which people do not know all that is on record. */
export async function behindConversations(store: Store): Promise<Conversation[]> {
  const rows = await store.db
    .selectFrom("conversations")
    .innerJoin("jobs", "jobs.id", "conversations.job")
    .selectAll("conversations")
    .whereRef("jobs.seq", ">", "conversations.told_seq")
    .execute();
  return rows.map((row) => conversationOf(store, row));
}

/** Jobs of conversations that rest while something waits to be said to them. */
export async function jobsToWake(store: Store): Promise<{ job: string; key: string }[]> {
  return store.db
    .selectFrom("conversations")
    .innerJoin("jobs", "jobs.id", "conversations.job")
    .select(["jobs.id as job", "conversations.key"])
    .where("conversations.kind", "=", "talk")
    .where("conversations.ended_at", "is", null)
    .where("jobs.owner", "is", null)
    .where("jobs.status", "in", ["paused", "interrupted", "failed", "cancelled"])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("messages")
          .select("messages.id")
          .whereRef("messages.job", "=", "jobs.id")
          .where("messages.session", "is", null),
      ),
    )
    .execute();
}

/** Those that are over, and whose job is not. */
export async function jobsToEnd(store: Store): Promise<string[]> {
  const rows = await store.db
    .selectFrom("conversations")
    .innerJoin("jobs", "jobs.id", "conversations.job")
    .select("jobs.id")
    .where("conversations.kind", "=", "talk")
    .where("conversations.ended_at", "is not", null)
    .where("jobs.owner", "is", null)
    .where("jobs.status", "in", ["paused", "interrupted"])
    .execute();
  return rows.map(({ id }) => id);
}

export interface Expiring {
  service: string;
  agent: string;
  before: Date;
  /** One of them, and no other. */
  key?: string;
}

/** Those of an agent in which nothing has happened since: nobody has written, and its job has done nothing. */
export async function expiredConversations(
  store: Store,
  { service, agent, before, key }: Expiring,
): Promise<{ key: string }[]> {
  const all = store.db
    .selectFrom("conversations")
    .leftJoin("jobs", "jobs.id", "conversations.job")
    .select("conversations.key")
    .where("conversations.kind", "=", "talk")
    .where("conversations.service", "=", service)
    .where("conversations.agent", "=", agent)
    .where("conversations.ended_at", "is", null)
    .where("conversations.last_at", "<", before.toISOString())
    .where(({ eb, or }) =>
      or([eb("jobs.updated_at", "is", null), eb("jobs.updated_at", "<", before.toISOString())]),
    );
  return (key === undefined ? all : all.where("conversations.key", "=", key)).execute();
}

function conversationOf(store: Store, row: Tables["conversations"]): Conversation {
  const { key, kind, service, agent, job, session } = row;
  return {
    ...{ key, kind, service, agent, job, session },
    live: liveIn(store, row.live),
    place: parsed(store, row.place),
    toldSeq: row.told_seq,
    lastAt: row.last_at,
    endedAt: row.ended_at,
    status: row.status === null ? null : parsed(store, row.status),
  };
}
