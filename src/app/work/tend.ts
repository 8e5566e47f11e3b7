import type { Job } from "../../job/job.ts";
import type { Claim } from "../../sources/claims/claim.ts";
import { ClaimLostError, ClaimUnconfirmedError } from "../../sources/claims/errors.ts";
import { SourceError } from "../../sources/source.ts";
import type { Store } from "../../store/store.ts";
import type { WorkItemRow } from "../../store/work-items.ts";
import type { ClaimKeeper } from "./keeper.ts";
import type { Line, Lines } from "./lines.ts";
import { type Mark, markOf } from "./report.ts";
import { seenIn } from "./seen.ts";
import { show } from "./show.ts";
import { type Edited, heed } from "./updates.ts";

/** An item that a job here has. */
export interface HeldRow {
  row: WorkItemRow;
  job: Job;
}

interface Tending {
  lines: Lines;
  claims: ClaimKeeper;
  store: Store;
  signal: AbortSignal;
  say: (text: string, isTrouble?: boolean) => void;
  problem: (about: string, error: unknown) => void;
  solved: (about: string) => void;
  /** An item is nobody's any more. */
  ended: () => void;
}

/**
 * Of one tracker, one item after the other. Throws where it should be left alone for a while: if it does not answer, the other
 * items wait with it.
 */
export async function tendItems(held: readonly HeldRow[], now: Date, tending: Tending): Promise<void> {
  let failed: { error: unknown } | undefined;
  for (const each of held) {
    try {
      await tendItem(each, now, tending);
    } catch (error) {
      tending.problem(nameOf(each), error);
      if (error instanceof ClaimLostError) tending.claims.drop(each.job.id);
      else failed = { error };
      if (isSilent(error)) break;
    }
  }
  if (failed) throw failed.error;
}

function isSilent(error: unknown): boolean {
  if (error instanceof ClaimUnconfirmedError) return true;
  return error instanceof SourceError && (error.code === "unreachable" || error.code === "limited");
}

async function tendItem({ row, job }: HeldRow, now: Date, tending: Tending): Promise<void> {
  const { lines, claims, store, signal, say, problem, solved, ended } = tending;
  const line = lines.lineOf(row.agent ?? job.agent, row.source);
  const claim = await claims.known(job.id).catch(() => undefined);
  const name = nameOf({ row });
  if (!claim) return;
  if (!line) {
    const gone = `no work_source of ${job.agent} is this any more, so that what becomes of it is not shown there`;
    return problem(name, new Error(gone));
  }
  const tended = { row, job, line, store, signal };
  const edited = await heedItem(tended, now);
  if (edited?.conflict !== undefined) say(`${name}: ${edited.conflict}`, true);
  if (edited?.isTold) say(`${name} was edited: telling its agent`);
  const mark = await showItem(tended, claim);
  if (mark && isSettled(job)) {
    // Whether or not the end of it arrives: from here on this process keeps nothing alive.
    claims.drop(job.id);
    await claim.end(ENDS[job.status]);
    say(`${name} is ${ENDED[mark.label]}`);
    line.feed.hurry(now);
    ended();
  }
  solved(name);
}

const nameOf = ({ row }: Pick<HeldRow, "row">) => `${row.item} of ${row.source}`;

const ENDED = {
  taken: "taken",
  ready: "ready again",
  released: "released",
  failed: "marked as failed",
  delivered: "delivered",
} as const;

interface TendedItem extends HeldRow {
  line: Line;
  store: Store;
  signal: AbortSignal;
}

/** Looks at an item again where the tracker says that it has changed since its job heard of it. */
async function heedItem(
  { row, job, line, store, signal }: TendedItem,
  now: Date,
): Promise<Edited | undefined> {
  const seen = seenIn(row.seen);
  const { items, source } = line.feed;
  if (!seen || !items || isSettled(job) || row.marked === null) return undefined;
  const item = items.find(({ id }) => id === row.item);
  const isDue = seen.lookAgainAt !== undefined && seen.lookAgainAt <= now.toISOString();
  if (item?.updatedAt === seen.item.updatedAt && !isDue) return undefined;
  // What is not listed any more was closed, which was said once, or has lost its labels.
  if (!item && (seen.conflict || (seen.lookAgainAt !== undefined && !isDue))) return undefined;
  const isListed = item !== undefined;
  return heed(await source.read(row.item, signal), job, { row, line, store, isListed, now });
}

/** Has the tracker show how the job stands. */
async function showItem(
  { row, job, line, store, signal }: TendedItem,
  claim: Claim,
): Promise<Mark | undefined> {
  const seen = seenIn(row.seen);
  if (!seen) return undefined;
  const { attempts, cleanupOnFailure } = line.config;
  const mark = markOf(job, { attempts: row.attempts + 1, most: attempts, again: cleanupOnFailure });
  const confirm = () => claim.confirm();
  await show(mark, { item: seen.item, row, source: line.feed.source, store, confirm, signal });
  return mark;
}

const ENDS = { completed: "done", failed: "failed", cancelled: "released" } as const;

function isSettled(job: Job): job is Job & { status: keyof typeof ENDS } {
  return job.status in ENDS;
}
