import { setTimeout as sleep } from "node:timers/promises";
import { goOnPrompt } from "../../handoff/continuation.ts";
import type { PauseCode } from "../../job/events.ts";
import { backoffMs } from "../../job/limits.ts";
import type { Leg } from "./leg.ts";
import type { LegEnd } from "./leg-end.ts";
import type { JobAtWork } from "./phases.ts";

/** What comes of a limit or a failure: the work goes on, its session is resumed, or the job pauses. */
export type AfterTrouble =
  | { next: "go-on" }
  | { next: "take-up-again" }
  | { next: "pause"; code: PauseCode; message: string };

type Retrying = Pick<JobAtWork, "config" | "sessions" | "append" | "record" | "signal" | "now">;

const LOOK_MS = 60_000;

/** What stops agents in real life: limits, a failing API, a program that dies or falls silent. */
export class Trouble {
  readonly #work: Retrying;
  /** Since the model last answered. */
  #count = 0;

  constructor(work: Retrying) {
    this.#work = work;
  }

  over(): void {
    this.#count = 0;
  }

  async limited(leg: Leg, limit: Extract<LegEnd, { kind: "limited" }>): Promise<AfterTrouble> {
    const { config, sessions, append, record } = this.#work;
    const { onLimit, retryBackoffMs } = config.session;
    const now = this.#work.now().getTime();
    this.#count++;
    if (onLimit === "pause") {
      await sessions.end(leg.live, "limited", limit.message);
      const reset = limit.resetsAt ? ` It resets at ${new Date(limit.resetsAt).toISOString()}.` : "";
      return { next: "pause", code: "usage_limit", message: `${limit.message}${reset}` };
    }
    const until = Math.max(limit.resetsAt ?? 0, now + backoffMs(retryBackoffMs, this.#count));
    await record({ type: "limit:waiting", session: leg.live.id, until, message: limit.message });
    await this.#until(until);
    append({ type: "limit:over", session: leg.live.id });
    await sessions.tell(leg.live, { kind: "retry", text: goOnPrompt(), verbatim: true });
    return { next: "go-on" };
  }

  /** By the clock, which goes on while the machine sleeps; but for no longer than was said, where it is set back. */
  async #until(time: number): Promise<void> {
    const { now, signal } = this.#work;
    const left = () => time - now().getTime();
    const deadline = performance.now() + left();
    for (let rest = left(); rest > 0; rest = Math.min(left(), deadline - performance.now())) {
      await sleep(Math.min(rest, LOOK_MS), undefined, { signal });
    }
  }

  async failed({ live }: Leg, trouble: Extract<LegEnd, { kind: "trouble" }>): Promise<AfterTrouble> {
    const { config, sessions, append, signal } = this.#work;
    const { maxRetries, retryBackoffMs } = config.session;
    const { code, message } = trouble;
    this.#count++;
    if (this.#count > maxRetries) {
      await sessions.end(live, "failed", message);
      return { next: "pause", code, message: `${message}${tried(maxRetries)}` };
    }
    const delayMs = backoffMs(retryBackoffMs, this.#count);
    append({ type: "retry", session: live.id, number: this.#count, of: maxRetries, delayMs, message });
    if (!trouble.alive) await sessions.drop(live);
    await sleep(delayMs, undefined, { signal });
    if (!trouble.alive) return { next: "take-up-again" };
    await sessions.tell(live, { kind: "retry", text: goOnPrompt(), verbatim: true });
    return { next: "go-on" };
  }
}

function tried(times: number): string {
  if (times === 0) return "";
  return ` Tried again ${times === 1 ? "once" : `${times} times`}, without success.`;
}
