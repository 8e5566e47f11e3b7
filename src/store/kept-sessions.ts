import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

export type KeptSession = Tables["kept_sessions"];

/** In place of an earlier one of the same agent and work item. */
export async function keepSession(store: Store, kept: KeptSession): Promise<void> {
  const { agent: _agent, work_item: _item, ...changed } = kept;
  await store.db
    .insertInto("kept_sessions")
    .values(kept)
    .onConflict((conflict) => conflict.columns(["agent", "work_item"]).doUpdateSet(changed))
    .execute();
}

export async function keptSession(
  store: Store,
  agent: string,
  workItem: string,
): Promise<KeptSession | undefined> {
  return store.db
    .selectFrom("kept_sessions")
    .selectAll()
    .where("agent", "=", agent)
    .where("work_item", "=", workItem)
    .executeTakeFirst();
}

/** Says how many there were. */
export async function expireSessions(store: Store, now: Date, dryRun: boolean): Promise<number> {
  const at = now.toISOString();
  const { count } = await store.db
    .selectFrom("kept_sessions")
    .select((is) => is.fn.countAll().as("count"))
    .where("expires_at", "<=", at)
    .executeTakeFirstOrThrow();
  if (!dryRun) await store.db.deleteFrom("kept_sessions").where("expires_at", "<=", at).execute();
  return Number(count);
}
