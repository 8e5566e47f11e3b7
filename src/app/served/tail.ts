import type { JournalEvent } from "../../job/events.ts";
import { JobNotFoundError } from "../../store/errors.ts";
import { eventsAfter, latestId } from "../../store/feed.ts";
import { getJob } from "../../store/jobs.ts";
import { headOf, rowOf } from "./jobs.ts";
import type { ServedProject } from "./projects.ts";

/** What happened in the journal of one project after some place in it. */
export interface Batch {
  events: readonly SentEvent[];
  /** The place after them. */
  end: number;
}

/** An event as it goes out: put into words once, for all who hear of it. */
class SentEvent {
  readonly id: number;
  readonly event: JournalEvent;
  #json: string | undefined;

  constructor({ id, event }: { id: number; event: JournalEvent }) {
    this.id = id;
    this.event = event;
  }

  get json(): string {
    this.#json ??= JSON.stringify({ job: this.event.job, ...headOf(this.event) });
    return this.#json;
  }
}

/** The row of a job, as it goes out. */
export interface SentRow {
  job: string;
  json: string;
}

const LOOK_MS = 100;
const MOST_EVENTS = 200;
const KEPT_BATCHES = 8;
const KEPT_ROWS = 500;

/**
 * The end of one project's journal, for any number of readers: each has its own place in it, and nothing waits here for
 * the slow ones. Most are at the end, and want what another has just read.
 */
export class JournalTail implements Disposable {
  readonly #where: ServedProject;
  readonly #changed: () => void;
  readonly #batches = new Map<number, Promise<Batch>>();
  readonly #rows = new Map<string, { seq: number; row: Promise<SentRow | undefined> }>();
  #latest = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `changed`: there is more than before. */
  constructor(where: ServedProject, changed: () => void) {
    this.#where = where;
    this.#changed = changed;
  }

  get latest(): number {
    return this.#latest;
  }

  async begin(): Promise<void> {
    try {
      await this.look();
    } catch {
      // A store that is held for a moment is looked at again.
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.begin(), LOOK_MS);
  }

  /** Where its end is at this moment. */
  async look(): Promise<number> {
    const latest = await latestId(this.#where.store);
    // A store that was made anew begins to count again.
    if (latest < this.#latest) this.#forget();
    if (latest !== this.#latest) {
      this.#latest = latest;
      this.#changed();
    }
    return latest;
  }

  #forget(): void {
    this.#batches.clear();
    this.#rows.clear();
  }

  read(after: number): Promise<Batch> {
    const known = this.#batches.get(after);
    if (known) return known;
    const batch = this.#read(after);
    kept(this.#batches, after, batch, KEPT_BATCHES);
    // What came to nothing may come to something a moment later.
    const drop = () => this.#batches.delete(after);
    batch.then(({ events }) => events.length === 0 && drop(), drop);
    return batch;
  }

  async #read(after: number): Promise<Batch> {
    const events = await eventsAfter(this.#where.store, after, MOST_EVENTS);
    return { events: events.map((each) => new SentEvent(each)), end: events.at(-1)?.id ?? after };
  }

  /** How a job stands, at this event of it or a later one. Undefined where it was forgotten meanwhile. */
  row(job: string, seq: number): Promise<SentRow | undefined> {
    const known = this.#rows.get(job);
    if (known && known.seq >= seq) return known.row;
    const row = this.#row(job);
    kept(this.#rows, job, { seq, row }, KEPT_ROWS);
    row.catch(() => this.#rows.delete(job));
    return row;
  }

  async #row(id: string): Promise<SentRow | undefined> {
    try {
      const job = await getJob(this.#where.store, id);
      return { job: id, json: JSON.stringify(rowOf({ where: this.#where, job })) };
    } catch (error) {
      if (error instanceof JobNotFoundError) return undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}

/** The newest of them stay. */
function kept<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
