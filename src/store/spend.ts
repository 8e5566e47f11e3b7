import type { Insertable, Kysely } from "kysely";
import { type Amounts, quarterOf, type Spend, together } from "../job/spend.ts";
import type { Store } from "./store.ts";
import type { SpendColumns, Tables } from "./tables.ts";

/** In the transaction of the events that it comes of. */
export async function addSpend(db: Kysely<Tables>, spent: readonly Spend[]): Promise<void> {
  for (const spend of together(spent)) {
    await db
      .insertInto("spend")
      .values(rowOf(spend))
      .onConflict((conflict) =>
        conflict.columns(["quarter", "agent", "model"]).doUpdateSet((row) => ({
          cost_usd: row("spend.cost_usd", "+", row.ref("excluded.cost_usd")),
          simulated_usd: row("spend.simulated_usd", "+", row.ref("excluded.simulated_usd")),
          estimated_usd: row("spend.estimated_usd", "+", row.ref("excluded.estimated_usd")),
          unknown: row("spend.unknown", "+", row.ref("excluded.unknown")),
          responses: row("spend.responses", "+", row.ref("excluded.responses")),
          input: row("spend.input", "+", row.ref("excluded.input")),
          output: row("spend.output", "+", row.ref("excluded.output")),
          cache_read: row("spend.cache_read", "+", row.ref("excluded.cache_read")),
          cache_write: row("spend.cache_write", "+", row.ref("excluded.cache_write")),
        })),
      )
      .execute();
  }
}

function rowOf({ quarter, agent, model, ...amounts }: Spend): Insertable<Tables["spend"]> {
  return {
    quarter,
    agent,
    model,
    cost_usd: amounts.costUsd,
    simulated_usd: amounts.simulatedUsd,
    estimated_usd: amounts.estimatedUsd,
    unknown: amounts.unknown,
    responses: amounts.responses,
    input: amounts.input,
    output: amounts.output,
    cache_read: amounts.cacheRead,
    cache_write: amounts.cacheWrite,
  };
}

/** Which of it is asked for. `from`, `to`: by quarters of an hour, the second without. */
export interface Spent {
  from?: Date;
  to?: Date;
  agent?: string;
}

/** What jobs have spent, by quarter of an hour, agent and model, the earliest first. */
export async function spendIn(store: Store, { from, to, agent }: Spent = {}): Promise<Spend[]> {
  let query = store.db.selectFrom("spend").selectAll();
  if (from) query = query.where("quarter", ">=", quarterOf(from));
  if (to) query = query.where("quarter", "<", quarterOf(to));
  if (agent !== undefined) query = query.where("agent", "=", agent);
  const rows = await query.orderBy("quarter").orderBy("agent").orderBy("model").execute();
  return rows.map(({ quarter, agent, model, ...row }) => ({ quarter, agent, model, ...amountsIn(row) }));
}

/** The same by agent and model: from the beginning, as the database keeps it, or since then. */
export async function spendByModel({ db }: Store, since?: Date): Promise<Omit<Spend, "quarter">[]> {
  const rows = since
    ? await db
        .selectFrom("spend")
        .select((is) => ["agent", "model", ...COLUMNS.map((name) => is.fn.sum<number>(name).as(name))])
        .where("quarter", ">=", quarterOf(since))
        .groupBy(["agent", "model"])
        .execute()
    : await db.selectFrom("spend_sums").selectAll().execute();
  return rows.map(({ agent, model, ...row }) => ({ agent, model, ...amountsIn(row) }));
}

/** The same by quarter of an hour alone. */
export async function spendByQuarter({ db }: Store, from: Date): Promise<(Amounts & { quarter: string })[]> {
  const rows = await db
    .selectFrom("spend")
    .select((is) => ["quarter", ...COLUMNS.map((name) => is.fn.sum<number>(name).as(name))])
    .where("quarter", ">=", quarterOf(from))
    .groupBy("quarter")
    .execute();
  return rows.map(({ quarter, ...row }) => ({ quarter, ...amountsIn(row) }));
}

/** The last one in which something was spent, before a time. */
export async function latestQuarter({ db }: Store, before?: Date): Promise<Date | undefined> {
  let query = db.selectFrom("spend").select("quarter");
  if (before) query = query.where("quarter", "<", quarterOf(before));
  const row = await query.orderBy("quarter", "desc").limit(1).executeTakeFirst();
  return row && new Date(row.quarter);
}

const COLUMNS: readonly (keyof SpendColumns)[] = [
  ...(["cost_usd", "simulated_usd", "estimated_usd", "unknown", "responses"] as const),
  ...(["input", "output", "cache_read", "cache_write"] as const),
];

/** Of all of it the cost alone, in one sum. */
export async function costIn(
  { db }: Store,
  { from, to, agent }: Spent,
): Promise<Pick<Amounts, "costUsd" | "simulatedUsd" | "estimatedUsd">> {
  let query = db
    .selectFrom("spend")
    .select((row) => [
      row.fn.sum<number | null>("cost_usd").as("costUsd"),
      row.fn.sum<number | null>("simulated_usd").as("simulatedUsd"),
      row.fn.sum<number | null>("estimated_usd").as("estimatedUsd"),
    ]);
  if (from) query = query.where("quarter", ">=", quarterOf(from));
  if (to) query = query.where("quarter", "<", quarterOf(to));
  if (agent !== undefined) query = query.where("agent", "=", agent);
  const { costUsd, simulatedUsd, estimatedUsd } = await query.executeTakeFirstOrThrow();
  return { costUsd: costUsd ?? 0, simulatedUsd: simulatedUsd ?? 0, estimatedUsd: estimatedUsd ?? 0 };
}

function amountsIn(row: SpendColumns): Amounts {
  return {
    costUsd: row.cost_usd,
    simulatedUsd: row.simulated_usd,
    estimatedUsd: row.estimated_usd,
    unknown: row.unknown,
    responses: row.responses,
    input: row.input,
    output: row.output,
    cacheRead: row.cache_read,
    cacheWrite: row.cache_write,
  };
}
