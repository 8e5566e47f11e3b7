import type { JournalEvent } from "../../job/events.ts";
import type { Store } from "../store.ts";
import type { Db } from "./conversations.ts";

/** A text of which the journal has the beginning and the end: all of it. */
export type LongText = Pick<JournalEvent, "job" | "seq"> & { text: string };

/** Kept where people wait for it, in the transaction that makes its event durable. */
export async function keepLongTexts(db: Db, texts: readonly LongText[]): Promise<void> {
  for (const { job, seq, text } of texts) {
    const listener = await db
      .selectFrom("conversations")
      .select("key")
      .where("job", "=", job)
      .executeTakeFirst();
    if (listener) await db.insertInto("long_texts").values({ job, seq, text }).execute();
  }
}

export async function longTextsOf(store: Store, job: string, after: number): Promise<Map<number, string>> {
  const rows = await store.db
    .selectFrom("long_texts")
    .select(["seq", "text"])
    .where("job", "=", job)
    .where("seq", ">", after)
    .execute();
  return new Map(rows.map(({ seq, text }) => [seq, text]));
}

/** Those that all who listen to the job have in the outbox. */
export async function forgetLongTexts(db: Db, job: string): Promise<void> {
  await db
    .deleteFrom("long_texts")
    .where("job", "=", job)
    .where(({ eb, selectFrom }) =>
      eb(
        "seq",
        "<=",
        selectFrom("conversations")
          .select(({ fn }) => fn.min("told_seq").as("told"))
          .where("job", "=", job),
      ),
    )
    .execute();
}
