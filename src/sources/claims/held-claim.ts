import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimEnd } from "../../store/tables.ts";
import { messageOf } from "../../util/errors.ts";
import type { Claim } from "./claim.ts";
import { type Clocks, type Moment, mostBetween, type ServerClock } from "./clocks.ts";
import { isSame } from "./decide.ts";
import { ClaimLostError, ClaimUnconfirmedError } from "./errors.ts";
import type { ClaimRecord } from "./record.ts";
import type { Register, Standing } from "./register.ts";

/** Of a lease: how old it may get before it is renewed, and before it may have run out for somebody else. */
const RENEW_AT = 1 / 3;
const OVER_AT = 5 / 6;
/** How long after a renewal that failed, and how long one may take where there is no time left. */
const AGAIN_AFTER = 1 / 12;

interface Kept {
  /** What this store knows of it. False where it is another claim's by now. */
  note(known: {
    state?: "ending" | "free" | ClaimEnd;
    ending?: ClaimEnd;
    attempts?: number;
  }): Promise<unknown>;
  /** It is renewed for as long again. */
  renewed(): Promise<unknown>;
  /** Nobody keeps it alive any more. */
  over(): void;
}

interface Parts extends Kept {
  register: Register;
  standing: Standing;
  record: ClaimRecord;
  /** When the write of it began that is known to have arrived. */
  since: Moment;
  clocks: Clocks;
  server: ServerClock;
}

/** What a claim is renewed with, or ended. */
export function renewed(record: ClaimRecord, server: ServerClock, wall: number): ClaimRecord {
  const { until: _, ...same } = record;
  const now = server.atMost();
  return {
    ...same,
    at: (now ?? new Date(wall)).toISOString(),
    ...(now && { until: new Date(now.getTime() + record.leaseMs).toISOString() }),
    nonce: randomUUID(),
  };
}

/** One that this process keeps alive until it ends, or is lost. */
export class HeldClaim implements Claim {
  readonly #parts: Parts;
  readonly #lost = new AbortController();
  readonly #closed = new AbortController();
  #record: ClaimRecord;
  #standing: Standing;
  #since: Moment;
  /** One after another: a renewal changes what a confirmation compares with. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#record = parts.record;
    this.#standing = parts.standing;
    this.#since = parts.since;
    void this.#keepAlive();
  }

  get source(): string {
    return this.#record.source;
  }

  get item(): string {
    return this.#record.item;
  }

  get epoch(): number {
    return this.#record.epoch;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  confirm(): Promise<void> {
    return this.#inTurn(async () => {
      this.#throwIfLost();
      await this.#compare();
      // What comes next takes time, too.
      if (this.#age() > RENEW_AT) await this.#renew();
    });
  }

  end(how: ClaimEnd): Promise<void> {
    return this.#inTurn(async () => {
      this.#throwIfLost();
      const attempts = this.#record.attempts + (how === "failed" ? 1 : 0);
      await this.#parts.note({ state: "ending", ending: how, attempts });
      this.close();
      await this.#write({ ...this.#next(), state: how, attempts });
      await this.#parts.note({ state: how });
    });
  }

  /** Lets it be, without a word to anybody: the same job may continue with it elsewhere. */
  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#parts.over();
  }

  async #keepAlive(): Promise<void> {
    const { signal } = this.#closed;
    const { leaseMs } = this.#record;
    let wait = leaseMs * RENEW_AT;
    while (!signal.aborted) {
      await sleep(wait, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      wait = leaseMs * RENEW_AT;
      const left = Math.max(OVER_AT - this.#age(), AGAIN_AFTER) * leaseMs;
      await this.#inTurn(async () => {
        if (!signal.aborted) await this.#renew(AbortSignal.any([signal, AbortSignal.timeout(left)]));
      }).catch(async (error: unknown) => {
        wait = leaseMs * AGAIN_AFTER;
        if (signal.aborted || this.#age() < OVER_AT) return;
        await this.#lose(`its lease may have run out, and could not be renewed: ${messageOf(error)}`);
      });
    }
  }

  /** How much of its lease is used up, at most. */
  #age(): number {
    return mostBetween(this.#since, this.#parts.clocks()) / this.#record.leaseMs;
  }

  #next(): ClaimRecord {
    return renewed(this.#record, this.#parts.server, this.#parts.clocks().wall);
  }

  async #renew(signal?: AbortSignal): Promise<void> {
    const since = this.#parts.clocks();
    await this.#write(this.#next(), signal);
    this.#since = since;
    await this.#parts.renewed();
  }

  /** Twice, because what stands there may be a renewal whose answer was lost. */
  async #write(record: ClaimRecord, signal?: AbortSignal): Promise<void> {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const written = await this.#asked(() => this.#parts.register.change(record, this.#standing, signal));
      if (written) {
        this.#standing = written;
        this.#record = record;
        return;
      }
      await this.#compare(signal);
    }
    throw await this.#lose("somebody else changes it at the same time");
  }

  /** That what stands there is ours, as the register says it now. */
  async #compare(signal?: AbortSignal): Promise<void> {
    const { register } = this.#parts;
    const there = await this.#asked(() => register.read(this.item, signal));
    if (there && isSame(there, this.#record)) {
      this.#standing = there;
      return;
    }
    const { record } = there ?? {};
    const by = record && `${record.state === "claimed" ? "taken" : record.state} by ${record.job}`;
    throw await this.#lose(there ? (by ?? "something else stands in its place") : "it was taken away");
  }

  async #asked<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      const { source, item } = this.#record;
      throw new ClaimUnconfirmedError(item, source, this.#parts.register.place, messageOf(error));
    }
  }

  async #lose(why: string): Promise<ClaimLostError> {
    const error = new ClaimLostError(this.item, this.source, why);
    this.close();
    this.#lost.abort(error);
    await this.#parts.note({ state: "free" });
    return error;
  }

  #throwIfLost(): void {
    this.#lost.signal.throwIfAborted();
    if (this.#closed.signal.aborted)
      throw new ClaimLostError(this.item, this.source, "it was given up here before");
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}
