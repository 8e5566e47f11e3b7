import type { JobEvent, LifeSign } from "../../job/events.ts";
import {
  type Changes,
  nextLookMs,
  type Stage,
  signIn,
  stageOf,
  watchedIn,
} from "../../job/watchdog/stall.ts";

interface StallWatchOptions {
  session: string;
  timeoutMs: number;
  /** What the agent waits for; undefined where it waits for its model. */
  tool: () => string | undefined;
  /** What has changed since the last look. */
  look: () => Promise<Changes>;
  append: (event: JobEvent) => void;
  /** Of no clock that could be set. */
  time: () => number;
}

/** Tells a session that works in silence from one that has stalled. It costs nothing while something is heard. */
export class StallWatch {
  readonly #options: StallWatchOptions;
  #aliveAt: number;
  #lookedAt: number | undefined;
  #isSuspected = false;

  constructor(options: StallWatchOptions) {
    this.#options = options;
    this.#aliveAt = options.time();
  }

  /** There was a sign of life. */
  alive(sign: LifeSign): void {
    const { session, append, time } = this.#options;
    if (this.#isSuspected) {
      append({ type: "stall:over", session, outcome: "alive", quietMs: this.#quietMs, sign });
    }
    this.#isSuspected = false;
    this.#aliveAt = time();
    this.#lookedAt = undefined;
  }

  /** By the clock of the options. */
  get nextLookAt(): number {
    const looked = this.#lookedAt === undefined ? undefined : this.#lookedAt - this.#aliveAt;
    return this.#aliveAt + nextLookMs(looked, this.#options.timeoutMs);
  }

  /** Looks for signs of life, where it is time for that. What it comes to is on record. */
  async check(): Promise<Stage> {
    const { timeoutMs, time } = this.#options;
    if (time() < this.nextLookAt) return "quiet";
    const changes = await this.#changes();
    // The first look of a silence only gives the next one something to compare with. Nothing is ended on its word.
    const isFirst = this.#lookedAt === undefined;
    this.#lookedAt = time();
    if (isFirst) return "quiet";
    const sign = signIn(changes);
    if (sign !== undefined) {
      this.#found(sign);
      return "alive";
    }
    const stage = stageOf(this.#lookedAt - this.#aliveAt, timeoutMs);
    if (stage === "suspected") this.#suspect(changes);
    if (stage === "stalled") this.#act();
    return stage;
  }

  /** While the agent waits for its model, what its commands in the background do says nothing of it. */
  async #changes(): Promise<Changes> {
    return this.#options.tool() === undefined ? {} : this.#options.look();
  }

  /** The next look compares with this one: a command can be at work, and print nothing, for hours. */
  #found(sign: LifeSign): void {
    const looked = this.#lookedAt;
    this.alive(sign);
    this.#lookedAt = looked;
  }

  #suspect(changes: Changes): void {
    if (this.#isSuspected) return;
    this.#isSuspected = true;
    const { session, timeoutMs, append } = this.#options;
    const tool = this.#options.tool();
    const quietMs = this.#quietMs;
    append({
      type: "stall:suspected",
      session,
      quietMs,
      actsInMs: Math.max(0, timeoutMs - quietMs),
      watched: watchedIn(changes),
      ...(tool !== undefined && { tool }),
    });
  }

  #act(): void {
    const { session, append } = this.#options;
    append({ type: "stall:over", session, outcome: "ended", quietMs: this.#quietMs });
    this.#isSuspected = false;
  }

  get #quietMs(): number {
    return Math.round(this.#options.time() - this.#aliveAt);
  }
}
