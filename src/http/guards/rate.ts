import { Problem } from "../problem.ts";

/** So many at once, and so many a second on and on. */
interface Allowance {
  burst: number;
  perSecond: number;
}

const REQUESTS: Allowance = { burst: 400, perSecond: 200 };
const FAILURES: Allowance = { burst: 20, perSecond: 1 };
const STREAMS = 200;
const AT_ONCE = 4;
const MOST_ADDRESSES = 10_000;

/** Buckets that fill up again: one for each who asks. */
class Buckets {
  readonly #allowance: Allowance;
  readonly #left = new Map<string, { tokens: number; at: number }>();

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** Whether there was one left. */
  take(who: string, now: number): boolean {
    const { burst, perSecond } = this.#allowance;
    const known = this.#left.get(who) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, known.tokens + ((now - known.at) / 1_000) * perSecond);
    this.#left.delete(who);
    this.#left.set(who, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    const [oldest] = this.#left.keys();
    if (this.#left.size > MOST_ADDRESSES && oldest !== undefined) this.#left.delete(oldest);
    return tokens >= 1;
  }

  has(who: string, now: number): boolean {
    const known = this.#left.get(who);
    if (!known) return true;
    return known.tokens + ((now - known.at) / 1_000) * this.#allowance.perSecond >= 1;
  }
}

/** What one token may ask for; and one address, without a token that holds. */
export class Limits {
  readonly #requests = new Buckets(REQUESTS);
  readonly #failures = new Buckets(FAILURES);
  readonly #waiting: (() => void)[] = [];
  #streams = 0;
  #atWork = 0;

  /** That are open. */
  get streams(): number {
    return this.#streams;
  }

  /** `token`: the id of one that holds. On one machine all have one address: nobody is shut out by what another one sends. */
  request(address: string, token: string | undefined): void {
    const now = performance.now();
    const isHeard = token !== undefined || this.#failures.has(address, now);
    if (!this.#requests.take(token ?? address, now) || !isHeard) throw tooMany();
  }

  /** Whoever tries one token after another is soon not heard. */
  failure(address: string): void {
    this.#failures.take(address, performance.now());
  }

  /** Does what starts programs, a few at once: the others wait for their turn. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#atWork === AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#atWork++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#atWork--;
    }
  }

  /** Call what it returns when the stream has ended. */
  stream(): () => void {
    if (this.#streams >= STREAMS) {
      throw new Problem(503, "too-many-streams", `${STREAMS} streams are open. Close one.`, {
        headers: { "retry-after": "10" },
      });
    }
    this.#streams++;
    let isOpen = true;
    return () => {
      if (isOpen) this.#streams--;
      isOpen = false;
    };
  }
}

function tooMany(): Problem {
  return new Problem(429, "too-many-requests", "Too many requests in a short time. Wait a second.", {
    headers: { "retry-after": "1" },
  });
}
