import type { JournalEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import { type JobView, jobView } from "../../job/view.ts";
import type { Journal } from "../../jobs/journal.ts";
import { Control } from "../../jobs/run/control.ts";
import { getJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { eventsSoFar } from "./follow.ts";
import { answerIn, endedFirst, type HandoffAnswer } from "./hand-off.ts";
import { type Moment, NotToldError, sendTo } from "./messages.ts";

/** A job that this process runs. */
export class RunningJob {
  readonly id: string;
  /** @internal */
  readonly control = new Control();
  readonly #store: Store;
  readonly #claimed = Promise.withResolvers<void>();
  #news = Promise.withResolvers<void>();
  #isOver = false;
  #seq = 0;
  readonly #ended = Promise.withResolvers<JobView>();

  constructor(store: Store, id: string) {
    this.#store = store;
    this.id = id;
    // Whoever does not ask for the result must not be stopped by it.
    this.#ended.promise.catch(() => {});
  }

  /** How it ended: completed, paused, failed, cancelled or interrupted. Rejects only where Baton itself could not continue. */
  get result(): Promise<JobView> {
    return this.#ended.promise;
  }

  /** What happened in it from its first event on, and what happens, until it ends. Each is on record before it is told. */
  async *events(after = 0): AsyncGenerator<JournalEvent> {
    for (let last = after; ; ) {
      const isOver = this.#isOver;
      const news = this.#news.promise;
      for await (const event of eventsSoFar(this.#store, this.id, last)) {
        yield event;
        last = event.seq;
      }
      if (isOver) return;
      await news;
    }
  }

  /** Asks for a handoff at the next moment that suits, and waits for what comes of it. */
  async handOff(focus?: string): Promise<HandoffAnswer> {
    const answer = answerIn(this.id, this.events(this.#seq));
    void this.control.handOff(focus);
    return (await answer) ?? endedFirst(this.#store, this.id);
  }

  /**
   * Tells the agent something more. It hears it when its turn is over, or at the moment that is asked for, and works on;
   * then this resolves. What a job that stopped was not told waits for its resume.
   */
  async send(text: string, { at: moment = "turn" }: { at?: Moment } = {}): Promise<void> {
    const after = this.#seq;
    const { id } = await sendTo(this.#store, await getJob(this.#store, this.id), text, moment);
    for await (const event of this.events(after)) {
      if (event.type === "message:sent" && event.queued === id) return;
    }
    throw new NotToldError(
      `${this.id} stopped before its agent got the message. It waits until the job is resumed.`,
    );
  }

  /** Ends it. It can be resumed. */
  cancel(why = "by the program that runs it"): Promise<JobView> {
    this.control.cancel(why);
    return this.result;
  }

  /** @internal */
  claimed(journal: Journal): void {
    this.#seq = journal.job.seq;
    journal.subscribe(({ seq }) => {
      this.#seq = seq;
      this.#tell();
    });
    this.#claimed.resolve();
  }

  /** @internal Resolves once the job is this process's own. */
  async begun(ended: Promise<Job>): Promise<this> {
    const over = ended.then(jobView).finally(() => {
      this.#isOver = true;
      this.#tell();
    });
    this.#ended.resolve(over);
    await Promise.race([this.#claimed.promise, over]);
    return this;
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
