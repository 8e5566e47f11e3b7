import type { JobEvent, JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import type { Job } from "../job/job.ts";
import { type Claim, releaseJob } from "../store/claims.ts";
import { appendEvents, eventsOfType, latestEvent } from "../store/events.ts";
import type { Store } from "../store/store.ts";
import { messageOf } from "../util/errors.ts";

type JournalListener = (event: JournalEvent) => void;

export class JournalClosedError extends Error {
  override readonly name = "JournalClosedError";

  constructor(job: string) {
    super(`The journal of ${job} is closed. Claim the job again to write to it.`);
  }
}

/** How long an appended event may wait for others, so that one commit serves them all. */
const gatherMs = 4;

/** The events of one claimed job, in the hands of its owner, who is their only writer. */
export class Journal implements AsyncDisposable {
  readonly attempt: number;
  readonly store: Store;
  readonly #clock: () => Date;
  readonly #listeners = new Set<JournalListener>();
  /** Those that have failed, which is said once of each. */
  readonly #failed = new WeakSet<JournalListener>();
  readonly #lost = new AbortController();
  #job: Job;
  #waiting: JournalEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<void> = Promise.resolve();
  /** Why nothing more can be written. */
  #end: unknown;
  #closed: Promise<void> | undefined;

  constructor(store: Store, claim: Claim, clock: () => Date) {
    this.store = store;
    this.#clock = clock;
    this.#job = claim.job;
    this.attempt = claim.attempt;
  }

  /** The fold of all events, also of those that are not durable yet. */
  get job(): Job {
    return this.#job;
  }

  /** Aborts when the job was taken over or the store failed, so that nothing more can be written. The reason says which. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** What is written from now on would reach nobody. Whoever knows that says so here. */
  lose(why: unknown): void {
    if (this.#end) return;
    this.#end = why;
    this.#lost.abort(why);
  }

  /** Writes soon. If that fails, `lost` tells. */
  append(event: JobEvent): void {
    if (!this.#add(event)) return;
    this.#timer ??= setTimeout(() => this.#flushLate(), gatherMs);
  }

  /** Resolves when the event, and all before it, are durable. */
  async record(event: JobEvent): Promise<void> {
    this.#add(event);
    await this.flush();
  }

  /** The newest event of a type, with what the job's snapshot leaves out of it. */
  async latest<T extends JobEvent["type"]>(type: T): Promise<Extract<JobEvent, { type: T }> | undefined> {
    await this.flush();
    return latestEvent(this.store, this.#job.id, type);
  }

  /** All events of a type, oldest first. */
  async all<T extends JobEvent["type"]>(type: T): Promise<Extract<JobEvent, { type: T }>[]> {
    await this.flush();
    return eventsOfType(this.store, this.#job.id, type);
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#written = this.#written.catch(() => {}).then(() => this.#write());
    return this.#written;
  }

  /**
   * Calls `listener` for every event that is durable from now on. Returns what ends that. A listener that throws harms
   * neither the job nor the other listeners: the journal says it once, as a warning.
   */
  subscribe(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes what is left and gives the job up. After a loss there is neither to do. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #add(event: JobEvent): boolean {
    if (this.#end) return false;
    const envelope = { seq: this.#job.seq + 1, at: this.#clock().toISOString() };
    const entry = { ...envelope, job: this.#job.id, attempt: this.attempt, ...bounded(event) };
    this.#job = apply(this.#job, entry);
    this.#waiting.push(entry);
    return true;
  }

  async #write(): Promise<void> {
    if (this.#end) throw this.#end;
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    try {
      await appendEvents(this.store, this.#job, this.attempt, events);
    } catch (error) {
      this.lose(error);
      throw error;
    }
    for (const event of events) for (const listener of this.#listeners) this.#tell(listener, event);
  }

  #tell(listener: JournalListener, event: JournalEvent): void {
    const failed = (error: unknown) => {
      if (this.#failed.has(listener)) return;
      this.#failed.add(listener);
      const why = messageOf(error);
      this.append({ type: "warning", message: `A listener to the events of this job failed: ${why}` });
    };
    try {
      const told: unknown = listener(event);
      if (told instanceof Promise) told.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  async #flushLate(): Promise<void> {
    // Who appends does not wait, and learns of a failed write from `lost`.
    await this.flush().catch(() => {});
  }

  async #close(): Promise<void> {
    if (this.#end) return;
    await this.flush();
    // A listener that fails at the last events has its warning written too.
    if (this.#waiting.length > 0) await this.flush();
    this.#end = new JournalClosedError(this.#job.id);
    await releaseJob(this.store, this.#job.id, this.attempt);
  }
}

/** Enough to follow what happened. The whole is in the agent's own transcript. */
const longestText = 16_384;

function bounded(event: JobEvent): JobEvent {
  switch (event.type) {
    case "tool:end":
    case "workspace:command":
    case "hook":
      return { ...event, output: shortened(event.output) };
    case "tool:start":
      return { ...event, summary: shortened(event.summary) };
    case "text":
    case "message:sent":
      return { ...event, text: shortened(event.text) };
    default:
      return event;
  }
}

/** Keeps the beginning and the end, where commands print what they do and how it went. */
function shortened(text: string): string {
  if (text.length <= longestText) return text;
  const half = longestText / 2;
  return `${text.slice(0, half)}\n… ${text.length - longestText} characters left out …\n${text.slice(-half)}`;
}
