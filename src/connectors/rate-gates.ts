import type { Clock } from "./clock.ts";

/** So many at once, and after that one each time so much has passed. */
export interface Rate {
  burst: number;
  everyMs: number;
}

interface Gate {
  allowed: number;
  countedAt: number;
  heldUntil: number;
  waiting: number;
  /** Whoever came last: the next one waits for it. */
  last: Promise<void>;
}

/** More than any service has limits, channels included. */
const MOST_GATES = 2_000;

/** Limits of a service, one gate a limit. A gate that is held keeps nobody waiting at another one. */
export class RateGates {
  readonly #clock: Clock;
  readonly #gates = new Map<string, Gate>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when one more may go through, in the order of calls. */
  pass(key: string, rate: Rate, signal: AbortSignal): Promise<void> {
    const gate = this.#gate(key, rate);
    const passed = () => {
      gate.waiting -= 1;
    };
    gate.waiting += 1;
    const turn = gate.last.then(() => this.#turn(gate, rate, signal));
    gate.last = turn.then(passed, passed);
    return turn;
  }

  /** Whether whoever came now would wait for nothing. */
  isFree(key: string, rate: Rate): boolean {
    const gate = this.#gate(key, rate);
    this.#grow(gate, rate);
    return gate.heldUntil <= this.#clock.now() && gate.allowed > gate.waiting;
  }

  /** The service asked to wait. */
  hold(key: string, rate: Rate, ms: number): void {
    const gate = this.#gate(key, rate);
    gate.heldUntil = Math.max(gate.heldUntil, this.#clock.now() + ms);
    gate.allowed = Math.min(gate.allowed, 1);
  }

  #grow(gate: Gate, { burst, everyMs }: Rate): void {
    const now = this.#clock.now();
    const grown = Math.floor((now - gate.countedAt) / everyMs);
    if (grown > 0) {
      gate.allowed = Math.min(burst, gate.allowed + grown);
      gate.countedAt += grown * everyMs;
    }
    if (gate.allowed === burst) gate.countedAt = now;
  }

  async #turn(gate: Gate, rate: Rate, signal: AbortSignal): Promise<void> {
    const { everyMs } = rate;
    for (;;) {
      signal.throwIfAborted();
      this.#grow(gate, rate);
      const now = this.#clock.now();
      if (now < gate.heldUntil) await this.#clock.sleep(gate.heldUntil - now, signal);
      else if (gate.allowed < 1) await this.#clock.sleep(gate.countedAt + everyMs - now, signal);
      else {
        gate.allowed -= 1;
        return;
      }
    }
  }

  #gate(key: string, { burst }: Rate): Gate {
    const known = this.#gates.get(key);
    if (known) return known;
    const now = this.#clock.now();
    if (this.#gates.size >= MOST_GATES) this.#forgetTheOldest(now);
    const gate = { allowed: burst, countedAt: now, heldUntil: 0, waiting: 0, last: Promise.resolve() };
    this.#gates.set(key, gate);
    return gate;
  }

  #forgetTheOldest(now: number): void {
    for (const [key, { heldUntil }] of this.#gates) {
      if (heldUntil > now) continue;
      this.#gates.delete(key);
      return;
    }
  }
}
