import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/** Something in the inbox as it is at one moment: `state` is another as soon as it has changed. */
export type InboxMark = Pick<Tables["inbox_done"], "kind" | "id" | "state">;

/** What a person took out of the inbox, each as it was then. */
export async function doneInInbox(store: Store): Promise<InboxMark[]> {
  return store.db.selectFrom("inbox_done").select(["kind", "id", "state"]).execute();
}

/** All of these, or none. */
export async function markDone(store: Store, marks: readonly InboxMark[], now: Date): Promise<void> {
  const at = now.toISOString();
  await store.db
    .insertInto("inbox_done")
    .values(
      marks.map(({ kind, id, state }) => ({ kind, id, job: kind === "schedule" ? null : id, state, at })),
    )
    .onConflict((conflict) =>
      conflict.columns(["kind", "id"]).doUpdateSet((row) => ({
        state: row.ref("excluded.state"),
        at: row.ref("excluded.at"),
      })),
    )
    .execute();
}
