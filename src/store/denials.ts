import type { Kysely } from "kysely";
import type { JournalEvent } from "../job/events.ts";
import { agentNow, type Job } from "../job/job.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/** How often the calls that a rule would have allowed were denied, of one agent. */
export interface DeniedRule {
  agent: string;
  rule: string;
  times: number;
  /** The first of these days. */
  since: string;
}

/** Counts what no rule allowed, by day. In the transaction of the events that it comes of. */
export async function addDenials(
  db: Kysely<Tables>,
  job: Job,
  events: readonly JournalEvent[],
): Promise<void> {
  for (const event of events) {
    if (event.type !== "tool:denied" || event.byPerson || !event.allow || !("tools" in event.allow)) continue;
    const day = event.at.slice(0, 10);
    for (const rule of event.allow.tools) {
      await db
        .insertInto("denials")
        .values({ day, agent: agentNow(job), rule, count: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(["day", "agent", "rule"])
            .doUpdateSet((row) => ({ count: row("denials.count", "+", 1) })),
        )
        .execute();
    }
  }
}

/** Those that came up at least so often since then, the most often first. */
export async function deniedSince(store: Store, since: Date, least: number): Promise<DeniedRule[]> {
  const rows = await store.db
    .selectFrom("denials")
    .select((is) => ["agent", "rule", is.fn.sum("count").as("times"), is.fn.min("day").as("since")])
    .where("day", ">=", since.toISOString().slice(0, 10))
    .groupBy(["agent", "rule"])
    .having((is) => is.fn.sum("count"), ">=", least)
    .orderBy("times", "desc")
    .limit(MOST)
    .execute();
  return rows.map(({ agent, rule, times, since: first }) => ({
    agent,
    rule,
    times: Number(times),
    since: first,
  }));
}

const MOST = 20;
