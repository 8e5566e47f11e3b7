import type { InboxMark } from "../fleet/inbox/facts.ts";
import type { Store } from "./store.ts";

/** What a person took out of the inbox, each as it was then. */
export async function doneInInbox(store: Store): Promise<InboxMark[]> {
  return store.db.selectFrom("inbox_done").select(["kind", "id", "state"]).execute();
}

/** All of these, or none. */
export async function markDone(store: Store, marks: readonly InboxMark[], now: Date): Promise<void> {
  const at = now.toISOString();
  await store.db
    .insertInto("inbox_done")
    .values(marks.map(({ kind, id, state }) => ({ kind, id, state, at })))
    .onConflict((conflict) =>
      conflict.columns(["kind", "id"]).doUpdateSet((row) => ({
        state: row.ref("excluded.state"),
        at: row.ref("excluded.at"),
      })),
    )
    .execute();
}
