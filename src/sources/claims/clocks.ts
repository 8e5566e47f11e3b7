import { HOUR_MS } from "../../util/time.ts";

/**
 * Two clocks of this machine. One stands still while the machine sleeps, the other jumps when somebody sets it: how long
 * something took is between what they say.
 */
export interface Moment {
  steady: number;
  wall: number;
}

export type Clocks = () => Moment;

export const ownClocks: Clocks = () => ({ steady: performance.now(), wall: Date.now() });

export function leastBetween(from: Moment, to: Moment): number {
  return Math.max(0, Math.min(to.steady - from.steady, to.wall - from.wall));
}

export function mostBetween(from: Moment, to: Moment): number {
  return Math.max(to.steady - from.steady, to.wall - from.wall);
}

/** HTTP tells the time in whole seconds. */
const SECOND_MS = 1_000;

/** A sample that is older says less than a new one that was noticed late. */
const LASTS_MS = HOUR_MS;

/** What a server's clock says now, from what its answers said, which may have been noticed late. */
export class ServerClock {
  readonly #told: () => Date | undefined;
  readonly #clocks: Clocks;
  #sample: { date: number; at: Moment } | undefined;
  #last: number | undefined;

  constructor(told: () => Date | undefined, clocks: Clocks) {
    this.#told = told;
    this.#clocks = clocks;
  }

  /** It is not earlier than this: for whoever waits for the end of another's lease. */
  atLeast(): Date | undefined {
    const sample = this.#look();
    return sample && new Date(sample.date + leastBetween(sample.at, this.#clocks()));
  }

  /** It is not later than this, unless the sample was noticed late: for whoever says how long his own lease is. */
  atMost(): Date | undefined {
    const sample = this.#look();
    return sample && new Date(sample.date + SECOND_MS + mostBetween(sample.at, this.#clocks()));
  }

  #look() {
    const date = this.#told()?.getTime();
    if (date === undefined || Number.isNaN(date) || date === this.#last) return this.#sample;
    this.#last = date;
    const at = this.#clocks();
    const known = this.#sample;
    const isBetter =
      !known || date >= known.date + leastBetween(known.at, at) || mostBetween(known.at, at) > LASTS_MS;
    if (isBetter) this.#sample = { date, at };
    return this.#sample;
  }
}
