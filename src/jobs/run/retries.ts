import { setTimeout as sleep } from "node:timers/promises";
import { goOnPrompt } from "../../handoff/continuation.ts";
import type { PauseCode, SwitchReason } from "../../job/events.ts";
import { backoffMs } from "../../job/limits.ts";
import { freeAgent, soonestAgent } from "../crew/next-agent.ts";
import type { Leg } from "./leg.ts";
import type { LegEnd } from "./leg-end.ts";
import type { JobAtWork } from "./phases.ts";

/** Another agent takes over, because this one cannot work until then, or until a person sees to that. */
export interface Switch {
  next: "switch";
  to: string;
  reason: SwitchReason;
  message: string;
  until?: number;
}

/** What comes of a limit or a failure: the work goes on, its session is resumed, another agent takes over, or the job stops. */
export type AfterTrouble =
  | { next: "go-on" }
  | { next: "take-up-again" }
  | Switch
  | { next: "pause"; code: PauseCode; message: string }
  | { next: "fail"; message: string };

type Retrying = Pick<
  JobAtWork,
  "config" | "crew" | "sessions" | "job" | "append" | "record" | "signal" | "now"
>;

const LOOK_MS = 60_000;
/** Where nobody says when a limit is over, or an API works again, its agent is tried again after this. */
const UNKNOWN_MS = 15 * 60_000;

/** What stops agents in real life: limits, a failing API, a program that dies or falls silent. */
export class Trouble {
  readonly #work: Retrying;
  /** Since the model last answered. */
  #count = 0;
  /** While a limit is waited for. */
  #waiting: PromiseWithResolvers<string> | undefined;

  constructor(work: Retrying) {
    this.#work = work;
  }

  over(): void {
    this.#count = 0;
  }

  /** A person wants another agent to have the job that waits. False where it does not wait. */
  handTo(agent: string): boolean {
    this.#waiting?.resolve(agent);
    return this.#waiting !== undefined;
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Who takes over at once, where somebody can. */
  standIn(end: Extract<LegEnd, { kind: "limited" | "no-access" }>): Switch | undefined {
    const to = this.#free();
    return to === undefined ? undefined : { next: "switch", to, ...this.#outOf(end) };
  }

  async limited(leg: Leg, limit: Extract<LegEnd, { kind: "limited" }>): Promise<AfterTrouble> {
    const { config, sessions } = this.#work;
    const { onLimit, retryBackoffMs } = config.session;
    const now = this.#work.now().getTime();
    this.#count++;
    if (onLimit === "pause") {
      await sessions.end(leg.live, "limited", limit.message);
      const reset = limit.resetsAt ? ` It resets at ${new Date(limit.resetsAt).toISOString()}.` : "";
      return { next: "pause", code: "usage_limit", message: `${limit.message}${reset}` };
    }
    const standIn = this.standIn(limit);
    if (standIn) return standIn;
    const until = Math.max(limit.resetsAt ?? 0, now + backoffMs(retryBackoffMs, this.#count));
    const other = this.#soonest();
    if (other && other.at < until) return this.#waitForOther(leg, other, this.#outOf(limit));
    const chosen = await this.#wait(leg, until, limit.message);
    if (chosen !== undefined) return { next: "switch", to: chosen, ...this.#outOf(limit), reason: "manual" };
    await sessions.tell(leg.live, { kind: "retry", text: goOnPrompt(), verbatim: true });
    return { next: "go-on" };
  }

  async failed(leg: Leg, trouble: Extract<LegEnd, { kind: "trouble" }>): Promise<AfterTrouble> {
    const { config, sessions, append, signal } = this.#work;
    const { maxRetries, retryBackoffMs } = config.session;
    const { code, message } = trouble;
    const { live } = leg;
    this.#count++;
    if (this.#count > maxRetries) {
      const after = await this.#switchOrWait(leg, trouble);
      if (after) return after;
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

  async noAccess(leg: Leg, end: Extract<LegEnd, { kind: "no-access" }>): Promise<AfterTrouble> {
    return (await this.#switchOrWait(leg, end)) ?? { next: "fail", message: end.message };
  }

  /** To who can work now, or first. Undefined where nobody else will. */
  async #switchOrWait(leg: Leg, end: Ended): Promise<AfterTrouble | undefined> {
    const to = this.#free();
    if (to !== undefined) return { next: "switch", to, ...this.#outOf(end) };
    const other = this.#soonest();
    return other && this.#waitForOther(leg, other, this.#outOf(end));
  }

  async #waitForOther(leg: Leg, other: { agent: string; at: number }, out: Out): Promise<AfterTrouble> {
    const chosen = await this.#wait(leg, other.at, `${out.message} Then ${other.agent} takes over.`);
    return { next: "switch", to: chosen ?? other.agent, ...out };
  }

  /** Returns the agent that a person wants to have the job meanwhile. */
  async #wait(leg: Leg, until: number, message: string): Promise<string | undefined> {
    const { append, record } = this.#work;
    const waiting = Promise.withResolvers<string>();
    const over = new AbortController();
    this.#waiting = waiting;
    try {
      await record({ type: "limit:waiting", session: leg.live.id, until, message });
      const chosen = await Promise.race([this.#until(until, over.signal), waiting.promise]);
      append({ type: "limit:over", session: leg.live.id });
      return chosen;
    } finally {
      over.abort();
      this.#waiting = undefined;
    }
  }

  /** By the clock, which goes on while the machine sleeps; but for no longer than was said, where it is set back. */
  async #until(time: number, over: AbortSignal): Promise<undefined> {
    const { now } = this.#work;
    const signal = AbortSignal.any([this.#work.signal, over]);
    const left = () => time - now().getTime();
    const deadline = performance.now() + left();
    for (let rest = left(); rest > 0; rest = Math.min(left(), deadline - performance.now())) {
      if (over.aborted) return;
      await sleep(Math.min(rest, LOOK_MS), undefined, { signal }).catch((error: unknown) => {
        if (!over.aborted || this.#work.signal.aborted) throw error;
      });
    }
  }

  #free(): string | undefined {
    const { config, crew } = this.#work;
    return config.session.onLimit === "switch" ? freeAgent(crew.choice) : undefined;
  }

  #soonest(): { agent: string; at: number } | undefined {
    const { config, crew } = this.#work;
    return config.session.onLimit === "switch" ? soonestAgent(crew.choice) : undefined;
  }

  /** How long this agent is out, which is longer each time that it was: nobody is switched to and fro. */
  #outOf(end: Ended): Out {
    const { config, job } = this.#work;
    const { message } = end;
    if (end.kind === "no-access") return { reason: "no_access", message };
    const now = this.#work.now().getTime();
    const times = (job().out?.[config.name]?.times ?? 0) + 1;
    const least = now + backoffMs(config.session.retryBackoffMs, times);
    if (end.kind === "trouble")
      return { reason: "api_failing", message, until: Math.max(least, now + UNKNOWN_MS) };
    return { reason: "usage_limit", message, until: Math.max(least, end.resetsAt ?? now + UNKNOWN_MS) };
  }
}

type Ended = Extract<LegEnd, { kind: "limited" | "no-access" | "trouble" }>;
type Out = Pick<Switch, "reason" | "message" | "until">;

function tried(times: number): string {
  if (times === 0) return "";
  return ` Tried again ${times === 1 ? "once" : `${times} times`}, without success.`;
}
