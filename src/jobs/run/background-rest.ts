import { type Activity, isAtRest } from "../../processes/activity.ts";

/** For how long commands must have done nothing to be taken for what keeps running, as a server does. */
const REST_MS = 5_000;
/** Of the time that they are given to finish, where that is short. */
const REST_OF_GRACE = 0.25;

/** Tells work that will finish from what the agent has started to keep running. */
export class BackgroundRest {
  readonly #look: () => Promise<Activity | undefined>;
  readonly #restMs: number;
  #since: Activity | undefined;

  constructor(look: () => Promise<Activity | undefined>, graceMs: number) {
    this.#look = look;
    this.#restMs = Math.min(REST_MS, graceMs * REST_OF_GRACE);
  }

  /** How long to wait between two looks. */
  get intervalMs(): number {
    return Math.max(1, this.#restMs / 5);
  }

  /** True when they have done nothing for long enough. False where nobody can tell. */
  async isReached(): Promise<boolean> {
    const now = await this.#look();
    if (this.#since === undefined || now === undefined || !isAtRest(this.#since, now)) {
      this.#since = now;
      return false;
    }
    return now.at - this.#since.at >= this.#restMs;
  }
}
