import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { liveness, type Owner, type ProcessIdentity } from "../processes/owner.ts";
import { parsed } from "./events.ts";
import type { Store } from "./store.ts";
import type { ClaimEnd, ItemState, Tables } from "./tables.ts";

/** What is known here of one item of a source, and which job here has it. */
export interface WorkItemRow {
  source: string;
  item: string;
  /** Of the last claim that is known of, by whomever. */
  epoch: number;
  state: ItemState;
  /** By which claims are known again that this store entered for this item, whatever became of their processes. */
  holder: string;
  /** Tells the last claim of this store from all before it. */
  claim: string | null;
  job: string | null;
  agent: string | null;
  /** The process that keeps the claim alive. */
  owner: Owner | null;
  leaseUntil: string | null;
  attempts: number;
  /** Where `ending`: how. */
  ending: ClaimEnd | null;
  /** The item as it was last read, for its job and for people. */
  seen: unknown;
  ignoredAt: string | null;
  /** What the tracker is to show, and what it was last told. They differ where nobody has told it yet. */
  mark: string | null;
  marked: string | null;
}

type Key = Pick<WorkItemRow, "source" | "item">;

/** Those that a process here has, or had when it was killed. */
const TAKEN: readonly ItemState[] = ["claiming", "claimed", "ending"];

/** Who wants an item, under which name of the claim. */
interface Taking {
  claim: string;
  job: string;
  agent: string;
  owner: ProcessIdentity;
  leaseUntil: Date;
}

/**
 * Makes `owner` the only one of this store who may claim the item for others to see. Refused while somebody has it who
 * may be alive: then the answer is the row as it is. A dead process of this machine stands in nobody's way, unless it left a
 * job, or an end that others may not have seen; of one of which it cannot be told whether it lives, the lease must be over.
 */
export async function takeItem(
  store: Store,
  { source, item }: Key,
  { claim, job, agent, owner, leaseUntil }: Taking,
  now: Date,
): Promise<{ taken: WorkItemRow } | { held: WorkItemRow }> {
  const at = now.toISOString();
  return store.db.transaction().execute(async (db) => {
    // A write comes first, so that nobody else can take it meanwhile.
    await db
      .insertInto("work_items")
      .values({ source, item, holder: randomUUID(), ...NOTHING_KNOWN })
      .onConflict((conflict) => conflict.columns(["source", "item"]).doUpdateSet({ source }))
      .execute();
    const before = await db
      .selectFrom("work_items")
      .selectAll()
      .where("source", "=", source)
      .where("item", "=", item)
      .executeTakeFirstOrThrow();
    const row = rowOf(store, before);
    if (isHeld(row, now) || row.state === "ending" || (await hasJob(db, row))) return { held: row };
    await db
      .updateTable("work_items")
      .set({
        ...{ state: "claiming", claim, job, agent, ending: null },
        ...{ owner: JSON.stringify({ ...owner, since: at }), lease_until: leaseUntil.toISOString() },
      })
      .where("source", "=", source)
      .where("item", "=", item)
      .execute();
    return { taken: row };
  });
}

const NOTHING_KNOWN: Omit<Tables["work_items"], "source" | "item" | "holder"> = {
  ...{ epoch: 0, state: "free", claim: null, job: null, agent: null, owner: null, lease_until: null },
  ...{ attempts: 0, ending: null, seen: null, ignored_at: null, mark: null, marked: null },
};

/** Which may have done its work already. */
async function hasJob(db: Kysely<Tables>, row: WorkItemRow): Promise<boolean> {
  if (!isTaken(row) || row.job === null) return false;
  const job = await db.selectFrom("jobs").select("id").where("id", "=", row.job).executeTakeFirst();
  return job !== undefined;
}

function isHeld({ state, owner, leaseUntil }: WorkItemRow, now: Date): boolean {
  if (!TAKEN.includes(state) || owner === null) return false;
  const seen = liveness(owner);
  if (seen !== "unknown") return seen === "alive";
  return leaseUntil !== null && leaseUntil > now.toISOString();
}

/** What is known of a claim of this store's. False where the row is another claim's by now. */
export async function updateClaim(
  store: Store,
  { source, item, claim }: Key & { claim: string },
  known: Partial<Pick<WorkItemRow, "epoch" | "state" | "attempts" | "ending" | "owner">> & {
    leaseUntil?: Date;
  },
): Promise<boolean> {
  const { owner, leaseUntil, ...columns } = known;
  const isOver = columns.state !== undefined && !TAKEN.includes(columns.state);
  const { numUpdatedRows } = await store.db
    .updateTable("work_items")
    .set(({ selectFrom }) => ({
      ...columns,
      // One that never came to be is nothing to look at.
      ...(isOver && { job: selectFrom("jobs").select("id").whereRef("id", "=", "work_items.job") }),
      ...(owner !== undefined && { owner: owner && JSON.stringify(owner) }),
      ...(leaseUntil && { lease_until: leaseUntil.toISOString() }),
    }))
    .where("source", "=", source)
    .where("item", "=", item)
    .where("claim", "=", claim)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Makes `owner` the process that keeps a claim alive whose last one is dead, or whose lease is over, or which was `owner`
 * itself. False where it is not.
 */
export async function adoptClaim(
  store: Store,
  row: WorkItemRow,
  owner: ProcessIdentity,
  leaseUntil: Date,
  now: Date,
): Promise<boolean> {
  if (row.claim === null || !isLeft(row, owner, now)) return false;
  const { numUpdatedRows } = await store.db
    .updateTable("work_items")
    .set({
      owner: JSON.stringify({ ...owner, since: now.toISOString() }),
      lease_until: leaseUntil.toISOString(),
    })
    .where("source", "=", row.source)
    .where("item", "=", row.item)
    .where("claim", "=", row.claim)
    .where("state", "=", row.state)
    .where("owner", row.owner === null ? "is" : "=", row.owner && JSON.stringify(row.owner))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether no process keeps its claim alive that may live, but for `except`. */
export function isLeft(row: WorkItemRow, except: ProcessIdentity | undefined, now: Date): boolean {
  const isOfOne = except !== undefined && row.owner !== null && isSameProcess(row.owner, except);
  return isOfOne || !isHeld(row, now);
}

function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const identity = ({ host, pidNamespace, boot, pid, startTime }: ProcessIdentity) =>
    JSON.stringify([host, pidNamespace, boot, pid, startTime]);
  return identity(one) === identity(other);
}

export async function findItem(store: Store, { source, item }: Key): Promise<WorkItemRow | undefined> {
  const row = await store.db
    .selectFrom("work_items")
    .selectAll()
    .where("source", "=", source)
    .where("item", "=", item)
    .executeTakeFirst();
  return row && rowOf(store, row);
}

/** Of one source, or the item of one job, or all. */
export async function listItems(
  store: Store,
  which: { source?: string; job?: string } = {},
): Promise<WorkItemRow[]> {
  let rows = store.db.selectFrom("work_items").selectAll().orderBy("source").orderBy("item");
  if (which.source !== undefined) rows = rows.where("source", "=", which.source);
  if (which.job !== undefined) rows = rows.where("job", "=", which.job);
  return (await rows.execute()).map((row) => rowOf(store, row));
}

/** Those that a process here has, or had when it was killed. */
export function isTaken({ state }: WorkItemRow): boolean {
  return TAKEN.includes(state);
}

/** Nothing may be known of it here. */
export function isTakenHere(row: WorkItemRow | undefined): boolean {
  return row !== undefined && isTaken(row);
}

/** What is noted of an item, whoever has it. */
export async function noteItem(
  store: Store,
  { source, item }: Key,
  noted: { seen?: unknown; ignoredAt?: Date | null; mark?: string | null; marked?: string | null },
): Promise<void> {
  const { seen, ignoredAt, ...marks } = noted;
  const columns = {
    ...marks,
    ...(seen !== undefined && { seen: JSON.stringify(seen) }),
    ...(ignoredAt !== undefined && { ignored_at: ignoredAt?.toISOString() ?? null }),
  };
  await store.db
    .insertInto("work_items")
    .values({ source, item, holder: randomUUID(), ...NOTHING_KNOWN, ...columns })
    .onConflict((conflict) => conflict.columns(["source", "item"]).doUpdateSet({ source, ...columns }))
    .execute();
}

function rowOf(store: Store, row: Tables["work_items"]): WorkItemRow {
  const { owner, lease_until, seen, ignored_at, ...columns } = row;
  return {
    ...columns,
    owner: owner === null ? null : parsed<Owner>(store, owner),
    leaseUntil: lease_until,
    seen: seen === null ? undefined : parsed(store, seen),
    ignoredAt: ignored_at,
  };
}
