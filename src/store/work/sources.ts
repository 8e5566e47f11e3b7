import type { Store } from "../store.ts";

/** What is known of a tracker that work is taken from, for processes that do not ask it themselves. */
export interface WorkSourceRow {
  name: string;
  polledAt: string | null;
  nextAt: string | null;
  /** What the tracker still lets be asked, as JSON. */
  budget: string | null;
  problem: string | null;
  problemSince: string | null;
  /** What would be taken, and why the rest is not, as JSON. */
  shown: string;
}

/** All that the fleet knows, in place of what it knew before. */
export async function putWorkSources(store: Store, rows: readonly WorkSourceRow[]): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    const names = rows.map(({ name }) => name);
    const gone = db.deleteFrom("work_sources");
    await (names.length === 0 ? gone : gone.where("name", "not in", names)).execute();
    for (const { name, polledAt, nextAt, budget, problem, problemSince, shown } of rows) {
      const known = {
        polled_at: polledAt,
        next_at: nextAt,
        budget,
        problem,
        problem_since: problemSince,
        shown,
      };
      await db
        .insertInto("work_sources")
        .values({ name, asked: 0, ...known })
        .onConflict((conflict) => conflict.column("name").doUpdateSet(known))
        .execute();
    }
  });
}

export async function workSourceRows(store: Store): Promise<WorkSourceRow[]> {
  const rows = await store.db.selectFrom("work_sources").selectAll().orderBy("name").execute();
  return rows.map(({ name, polled_at, next_at, budget, problem, problem_since, shown }) => ({
    ...{ name, polledAt: polled_at, nextAt: next_at, budget, problem, problemSince: problem_since, shown },
  }));
}

/** Has the fleet ask the trackers now, all or one of them. False where it knows none. */
export async function askToPoll(store: Store, name?: string): Promise<boolean> {
  const asked = store.db.updateTable("work_sources").set({ asked: 1 });
  const { numUpdatedRows } = await (name === undefined
    ? asked
    : asked.where("name", "=", name)
  ).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The trackers that somebody wants to be asked now. Each is said once. */
export async function pollsAsked(store: Store): Promise<string[]> {
  const asked = await store.db.selectFrom("work_sources").select("name").where("asked", "=", 1).execute();
  if (asked.length === 0) return [];
  const names = asked.map(({ name }) => name);
  await store.db.updateTable("work_sources").set({ asked: 0 }).where("name", "in", names).execute();
  return names;
}
