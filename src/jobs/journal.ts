import { setTimeout as sleep } from "node:timers/promises";
import type { JobEvent, JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import type { Job } from "../job/job.ts";
import { type Spend, spendOf } from "../job/spend.ts";
import { appendEvents } from "../store/append.ts";
import { type Claim, releaseJob } from "../store/claims.ts";
import type { LongText } from "../store/conversations/long-texts.ts";
import { StoreError } from "../store/errors.ts";
import { eventsOfType, latestEvent } from "../store/events.ts";
import type { Store } from "../store/store.ts";
import { messageOf } from "../util/errors.ts";

type JournalListener = (event: JournalEvent) => void;

/** The job is paused for it once the store can be written again. */
export class StoreHeldError extends Error {
  override readonly name = "StoreHeldError";

  constructor(path: string, job: string, cause: unknown) {
    super(
      `Another process held the store ${path} for longer than Baton waits, so the agent was stopped. Nothing is lost. See who it is with \`fuser ${path}\`, then continue with \`baton resume ${job}\`.`,
      { cause },
    );
  }
}

export class JournalClosedError extends Error {
  override readonly name = "JournalClosedError";

  constructor(job: string) {
    super(`The journal of ${job} is closed. Claim the job again to write to it.`);
  }
}

/** How long an appended event may wait for others, so that one commit serves them all. */
const gatherMs = 50;
/** By how much the clock may differ from the time that has passed before that is recorded. */
const CLOCK_TOLERANCE_MS = 10_000;
/** How often, and for how long, a store is tried again that another process holds. */
const HELD_RETRY_MS = 500;
const HELD_PATIENCE_MS = 10 * 60_000;

/** The events of one claimed job, in the hands of its owner, who is their only writer. */
export class Journal implements AsyncDisposable {
  readonly attempt: number;
  readonly store: Store;
  readonly #clock: () => Date;
  readonly #listeners = new Set<JournalListener>();
  /** Those that have failed, which is said once of each. */
  readonly #failed = new WeakSet<JournalListener>();
  readonly #lost = new AbortController();
  readonly #held = new AbortController();
  #isHeld = false;
  /** What both clocks said at the last event. */
  #last: { at: number; passedMs: number };
  readonly #passedMs: () => number;
  #job: Job;
  #waiting: JournalEvent[] = [];
  /** What these came to. */
  #spent: Spend[] = [];
  /** What these leave out. */
  #longTexts: LongText[] = [];
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<void> = Promise.resolve();
  /** Why nothing more can be written. */
  #end: unknown;
  #closed: Promise<void> | undefined;

  constructor(store: Store, claim: Claim, clock: () => Date, passedMs = () => performance.now()) {
    this.store = store;
    this.#clock = clock;
    this.#passedMs = passedMs;
    this.#last = { at: clock().getTime(), passedMs: passedMs() };
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

  /**
   * Aborts when another process holds the store for longer than anybody waits. What could not be written is kept, until
   * `freed` has.
   */
  get held(): AbortSignal {
    return this.#held.signal;
  }

  /** The time as the events of this job count it: where the clock has been set since the last one, that is not in it yet. */
  now(): Date {
    const { at, passedMs } = this.#last;
    return new Date(at + this.#passedMs() - passedMs);
  }

  /** Writes soon. If that fails, `lost` or `held` tells. */
  append(event: JobEvent): void {
    if (!this.#add(event) || this.#isHeld) return;
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

  /** Waits until a store that was held can be written again, and writes what was kept. */
  async freed(): Promise<void> {
    const deadline = this.#passedMs() + HELD_PATIENCE_MS;
    while (this.#isHeld) {
      this.#isHeld = false;
      try {
        await this.flush();
      } catch (error) {
        if (!this.#isHeld || this.#passedMs() > deadline) throw error;
        await sleep(HELD_RETRY_MS);
      }
    }
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
    const at = this.#clock();
    const byMs = this.#movedBy(at);
    if (byMs !== 0) this.#put({ type: "clock:moved", byMs }, at);
    this.#put(event, at);
    return true;
  }

  #put(event: JobEvent, at: Date): void {
    const envelope = { seq: this.#job.seq + 1, at: at.toISOString() };
    const entry = { ...envelope, job: this.#job.id, attempt: this.attempt, ...bounded(event) };
    const before = this.#job;
    this.#job = apply(before, entry);
    this.#spent.push(...spendOf(before, this.#job, entry));
    this.#waiting.push(entry);
    if (event.type === "text" && event.text.length > longestText)
      this.#longTexts.push({ job: entry.job, seq: entry.seq, text: event.text });
  }

  /** By how much the clock was set since the last event; 0 where it goes as it should. */
  #movedBy(at: Date): number {
    const passedMs = this.#passedMs();
    const byMs = Math.round(at.getTime() - this.#last.at - (passedMs - this.#last.passedMs));
    this.#last = { at: at.getTime(), passedMs };
    return Math.abs(byMs) > CLOCK_TOLERANCE_MS ? byMs : 0;
  }

  async #write(): Promise<void> {
    if (this.#end) throw this.#end;
    if (this.#isHeld) throw this.#held.signal.reason;
    const events = this.#waiting;
    if (events.length === 0) return;
    const spent = this.#spent;
    const longTexts = this.#longTexts;
    this.#waiting = [];
    this.#spent = [];
    this.#longTexts = [];
    try {
      await appendEvents(this.store, this.#job, this.attempt, events, { spent, longTexts });
    } catch (error) {
      if (error instanceof StoreError && error.code === "locked") {
        this.#waiting = [...events, ...this.#waiting];
        this.#spent = [...spent, ...this.#spent];
        this.#longTexts = [...longTexts, ...this.#longTexts];
        this.#isHeld = true;
        this.#held.abort(new StoreHeldError(this.store.path, this.#job.id, error));
        throw this.#held.signal.reason;
      }
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

/** Enough to follow what happened. The whole is in the agent's own transcript, and kept beside it where people wait for it. */
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
