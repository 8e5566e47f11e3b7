import { parsed } from "../events.ts";
import type { Store } from "../store.ts";
import type { Db } from "./conversations.ts";

/** Something that is to be said in a conversation, once. */
export interface Outgoing<T> {
  id: number;
  conversation: string;
  job: string | null;
  source: string;
  nonce: string;
  said: T;
  /** A message shows the beginning of it already. */
  isLive: boolean;
  /** Where that is, as far as is known. */
  ref: string | null;
  at: string;
}

/** Records it, unless it is there. */
export async function putInOutbox(
  store: Store,
  {
    conversation,
    job,
    source,
    nonce,
    said,
    isLive,
    ref = null,
  }: Partial<Pick<Outgoing<unknown>, "ref">> & Omit<Outgoing<unknown>, "id" | "ref" | "at">,
  now: Date,
  db: Db = store.db,
): Promise<void> {
  await db
    .insertInto("chat_outbox")
    .values({
      ...{ conversation, job, source, nonce, said: JSON.stringify(said), is_live: isLive ? 1 : 0 },
      ...{ at: now.toISOString(), ref, sent_at: null },
    })
    .onConflict((on) => on.column("source").doNothing())
    .execute();
}

/** All that is to be said, in its order. */
export async function unsentIn<T>(store: Store): Promise<Outgoing<T>[]> {
  const rows = await store.db
    .selectFrom("chat_outbox")
    .select(["id", "conversation", "job", "source", "nonce", "said", "is_live", "ref", "at"])
    .where("sent_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(({ said, is_live, ...row }) => ({
    ...row,
    said: parsed<T>(store, said),
    isLive: is_live === 1,
  }));
}

/** `ref`: where it is; null where it was given up. */
export async function wasSent(store: Store, id: number, ref: string | null, now: Date): Promise<void> {
  await store.db
    .updateTable("chat_outbox")
    .set({ ref, sent_at: now.toISOString() })
    .where("id", "=", id)
    .execute();
}

/** Where the message is that said it. */
export async function refOf(store: Store, source: string): Promise<string | undefined> {
  const row = await store.db
    .selectFrom("chat_outbox")
    .select("ref")
    .where("source", "=", source)
    .executeTakeFirst();
  return row?.ref ?? undefined;
}

/** Where the last messages of a conversation are that were said. */
export async function refsIn(store: Store, conversation: string, most: number): Promise<string[]> {
  const rows = await store.db
    .selectFrom("chat_outbox")
    .select("ref")
    .where("conversation", "=", conversation)
    .where("ref", "is not", null)
    .orderBy("id", "desc")
    .limit(most)
    .execute();
  return rows.flatMap(({ ref }) => ref ?? []);
}

export async function forgetSent(store: Store, before: Date): Promise<void> {
  await store.db.deleteFrom("chat_outbox").where("sent_at", "<", before.toISOString()).execute();
}
