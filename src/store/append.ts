import type { CompiledQuery, Kysely } from "kysely";
import type { JournalEvent } from "../job/events.ts";
import type { Job } from "../job/job.ts";
import type { Spend } from "../job/spend.ts";
import { followAsks } from "./asks.ts";
import { followConversations } from "./conversations/conversations.ts";
import { keepLongTexts, type LongText } from "./conversations/long-texts.ts";
import { addDenials } from "./denials.ts";
import { StoreError } from "./errors.ts";
import { FencedError, insertEvents } from "./events.ts";
import { rowOfJob } from "./job-row.ts";
import { addSpend } from "./spend.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/**
 * Makes `events` durable together with `job`, their fold, what they have cost and what of their texts they leave out, or nothing
 * of it when `attempt` is no longer the latest.
 */
export function appendEvents(
  store: Store,
  job: Job,
  attempt: number,
  events: JournalEvent[],
  { spent = [], longTexts = [] }: Partial<Pick<Append, "spent" | "longTexts">> = {},
): Promise<void> {
  const writer = writers.get(store) ?? new Writer(store);
  writers.set(store, writer);
  return writer.add({ job, attempt, events, spent, longTexts });
}

interface Append {
  job: Job;
  attempt: number;
  events: JournalEvent[];
  spent: readonly Spend[];
  longTexts: readonly LongText[];
}

interface Waiting extends Append {
  done: PromiseWithResolvers<void>;
}

const LONGEST_REST_MS = 25;

const writers = new WeakMap<Store, Writer>();

/**
 * One for all jobs that this process runs in a store. What they write in the same moment is one transaction: the disk
 * takes as long for a hundred of them as for one, and nothing else happens in this process meanwhile.
 */
class Writer {
  readonly #store: Store;
  #waiting: Waiting[] = [];
  #isDue = false;
  #restsUntil = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  add(append: Append): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ ...append, done });
    if (!this.#isDue) {
      this.#isDue = true;
      const rest = this.#restsUntil - performance.now();
      if (rest > 1) setTimeout(() => void this.#write(), rest);
      else setImmediate(() => void this.#write());
    }
    return done.promise;
  }

  async #write(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#isDue = false;
    const began = performance.now();
    const problem = await this.#together(batch);
    const ended = performance.now();
    // A disk that is slow gets fewer and larger pieces: all else in this process has at least as long as it.
    this.#restsUntil = ended + Math.min(ended - began, LONGEST_REST_MS);
    if (problem === undefined) return;
    const isForAll = batch.length === 1 || (problem instanceof StoreError && problem.code === "locked");
    for (const append of batch) {
      // What cannot be written of one job is no reason to lose what the others wrote.
      const own = isForAll ? problem : await this.#together([append]);
      if (own !== undefined) append.done.reject(own);
    }
  }

  /** All of it, or nothing. Whoever was replaced as owner of their job is told so. */
  async #together(batch: readonly Waiting[]): Promise<unknown> {
    try {
      const fenced = await this.#store.db.transaction().execute((db) => writtenTo(this.#store, db, batch));
      for (const append of batch) {
        const { done, job, attempt } = append;
        if (fenced.has(append)) done.reject(new FencedError(job.id, attempt));
        else done.resolve();
      }
      return undefined;
    } catch (error) {
      return error ?? new Error("The store could not be written.");
    }
  }
}

async function writtenTo(store: Store, db: Kysely<Tables>, batch: readonly Append[]): Promise<Set<Append>> {
  const fenced = new Set<Append>();
  const events: JournalEvent[] = [];
  const spent: Spend[] = [];
  const longTexts: LongText[] = [];
  for (const append of batch) {
    const { numAffectedRows } = await db.executeQuery(updateOf(store, append));
    if (numAffectedRows === 0n) {
      fenced.add(append);
      continue;
    }
    await addDenials(db, append.job, append.events);
    events.push(...append.events);
    spent.push(...append.spent);
    longTexts.push(...append.longTexts);
  }
  await insertEvents(store, db, events);
  await followAsks(db, events);
  await followConversations(db, events);
  await keepLongTexts(db, longTexts);
  await addSpend(db, spent);
  return fenced;
}

const updates = new WeakMap<Store, CompiledQuery>();

/** Built once, because that takes longer than to run it. The order of the columns is the order of the parameters. */
function updateOf(store: Store, { job, attempt }: Append): CompiledQuery {
  const row = rowOfJob(job);
  const known = updates.get(store);
  if (known) return { ...known, parameters: [...Object.values(row), job.id, attempt] };
  const query = store.db
    .updateTable("jobs")
    .set(row)
    .where("id", "=", job.id)
    .where("attempt", "=", attempt)
    .compile();
  updates.set(store, query);
  return query;
}
