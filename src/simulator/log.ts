import type { SimulatedRequest } from "./request.ts";
import type { Reply } from "./scenario.ts";
import type { Usage } from "./usage.ts";

/** A request and what became of it. Grows while it is answered: times are in milliseconds since 1970. */
export interface RecordedRequest {
  readonly request: SimulatedRequest;
  readonly startedAt: number;
  /** What the scenario chose. Absent while it is choosing, and on a prompt that was too long. */
  readonly reply?: Reply;
  readonly usage?: Usage;
  readonly status?: number;
  /** When the answer was complete or the connection was gone. */
  readonly endedAt?: number;
}

export class SimulatorClosedError extends Error {
  override readonly name = "SimulatorClosedError";
  constructor(seen: number) {
    super(`The simulator was closed before a request came that was waited for; it had seen ${seen}.`);
  }
}

interface Waiter {
  matches: (record: RecordedRequest) => boolean;
  resolve: (record: RecordedRequest) => void;
  reject: (error: Error) => void;
}

export class RequestLog {
  readonly requests: RecordedRequest[] = [];
  readonly #most: number;
  #waiters: Waiter[] = [];

  /** `most`: how many requests are kept. Each holds its whole conversation. */
  constructor(most: number) {
    this.#most = most;
  }

  begin(request: SimulatedRequest): RecordedRequest {
    const record = { request, startedAt: now() };
    this.requests.push(record);
    if (this.requests.length > this.#most) this.requests.shift();
    this.#tell(record);
    return record;
  }

  update(record: RecordedRequest, change: Pick<RecordedRequest, "reply" | "usage" | "status">): void {
    Object.assign(record, change);
    this.#tell(record);
  }

  end(record: RecordedRequest): void {
    Object.assign(record, { endedAt: now() });
    this.#tell(record);
  }

  waitFor(matches: (record: RecordedRequest) => boolean): Promise<RecordedRequest> {
    const past = this.requests.find(matches);
    if (past) return Promise.resolve(past);
    const { promise, resolve, reject } = Promise.withResolvers<RecordedRequest>();
    this.#waiters.push({ matches, resolve, reject });
    return promise;
  }

  close(): void {
    for (const { reject } of this.#waiters) reject(new SimulatorClosedError(this.requests.length));
    this.#waiters = [];
  }

  #tell(record: RecordedRequest): void {
    const told = this.#waiters.filter(({ matches }) => matches(record));
    this.#waiters = this.#waiters.filter((waiter) => !told.includes(waiter));
    for (const { resolve } of told) resolve(record);
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
