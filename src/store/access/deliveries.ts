import type { AccessState } from "../sqlite/access-state.ts";

/** A call of a schedule, and what became of it. */
export interface Delivery {
  /** Of its body. */
  request: string;
  /** That it starts, where it starts one. */
  job: string;
  /** Null: it was begun, and whether it was done is not known. */
  outcome: string | null;
  reason: string | null;
}

interface NewDelivery {
  /** Project, agent and schedule. */
  hook: string;
  key: string;
  request: string;
  job: string;
  /** When it cannot come again. Null: it always can. */
  until: Date | null;
}

/** Records that a call is about to be answered. Returns what is recorded of it already. */
export function beginDelivery(
  { db }: AccessState,
  { hook, key, request, job, until }: NewDelivery,
  now: Date,
): Delivery | undefined {
  const { changes } = db
    .prepare(
      "INSERT INTO deliveries (hook, key, request, job, at, until) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .run(hook, key, request, job, now.toISOString(), until?.toISOString() ?? null);
  return changes > 0 ? undefined : deliveryIn(db, hook, key);
}

function deliveryIn(db: AccessState["db"], hook: string, key: string): Delivery | undefined {
  return db
    .prepare<[string, string], Delivery>(
      "SELECT request, job, outcome, reason FROM deliveries WHERE hook = ? AND key = ?",
    )
    .get(hook, key);
}

export function endDelivery(
  { db }: AccessState,
  { hook, key }: Pick<NewDelivery, "hook" | "key">,
  { outcome, reason }: { outcome: string; reason: string | null },
): void {
  db.prepare("UPDATE deliveries SET outcome = ?, reason = ? WHERE hook = ? AND key = ?").run(
    outcome,
    reason,
    hook,
    key,
  );
}

/** It was refused before anything was done. */
export function dropDelivery({ db }: AccessState, { hook, key }: Pick<NewDelivery, "hook" | "key">): void {
  db.prepare("DELETE FROM deliveries WHERE hook = ? AND key = ? AND outcome IS NULL").run(hook, key);
}

export function forgetDeliveries({ db }: AccessState, now: Date): void {
  db.prepare("DELETE FROM deliveries WHERE until < ?").run(now.toISOString());
}
