import { setTimeout as sleep } from "node:timers/promises";
import { goOnPrompt } from "../../handoff/continuation.ts";
import type { PauseCode, SwitchReason } from "../../job/events.ts";
import { backoffMs } from "../../job/limits.ts";
import { clock, outside } from "../../util/hours.ts";
import type { SharedLimits } from "../account-limits.ts";
import { freeAgent, soonestAgent } from "../crew/next-agent.ts";
import type { Leg } from "./leg.ts";
import { type LegEnd, PAUSE_REQUESTED } from "./leg-end.ts";
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
  "config" | "crew" | "sessions" | "limits" | "job" | "append" | "record" | "signal" | "now"
>;

const LOOK_MS = 60_000;
/** By which a later time is worth saying. */
const LATER_MS = 1_000;
/** Where nobody says when a limit is over, or an API works again, its agent is tried again after this. */
const UNKNOWN_MS = 15 * 60_000;

/** What stops agents in real life: limits, a failing API, a program that dies or falls silent. */
export class Trouble {
  readonly #work: Retrying;
  /** Since the model last answered. */
  #count = 0;
  /** While a limit is waited for. */
  #waiting: PromiseWithResolvers<Meanwhile> | undefined;

  constructor(work: Retrying) {
    this.#work = work;
  }

  over(): void {
    this.#count = 0;
  }

  /** A person wants another agent to have the job that waits. False where it does not wait. */
  handTo(agent: string): boolean {
    this.#waiting?.resolve({ to: agent });
    return this.#waiting !== undefined;
  }

  /** A person wants the job to rest: it need not wait for that. */
  pause(): void {
    this.#waiting?.resolve("pause");
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Lets all other jobs of the account know, whatever becomes of this one. */
  async share({ message, resetsAt }: Extract<LegEnd, { kind: "limited" }>): Promise<void> {
    const { config, limits, now } = this.#work;
    const least = now().getTime() + backoffMs(config.session.retryBackoffMs, this.#count + 1);
    await limits.reached({ until: resetsAt ?? least, isKnown: resetsAt !== undefined, message });
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
    const meanwhile = await this.#wait(leg, until, limit.message, (at) => this.#work.limits.turn(at));
    if (meanwhile === "pause") return this.#pause(leg);
    if (meanwhile) return { next: "switch", ...meanwhile, ...this.#outOf(limit), reason: "manual" };
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
    // Somebody wants it to rest: what hung had no boundary to rest at, and its session is not resumed for one.
    if (this.#work.job().pauseRequested) return this.#pause(leg);
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
    const meanwhile = await this.#wait(leg, other.at, `${out.message} Then ${other.agent} takes over.`);
    if (meanwhile === "pause") return this.#pause(leg);
    return { next: "switch", to: meanwhile?.to ?? other.agent, ...out };
  }

  async #pause({ live }: Leg): Promise<AfterTrouble> {
    await this.#work.sessions.end(live, "paused");
    return { next: "pause", code: "requested", message: PAUSE_REQUESTED };
  }

  /** Returns what a person wants meanwhile. `turn`: it is one of many that wait for the same. */
  async #wait(
    leg: Leg,
    until: number,
    why: string,
    turn?: SharedLimits["turn"],
  ): Promise<Meanwhile | undefined> {
    const { append, record } = this.#work;
    const waiting = Promise.withResolvers<Meanwhile>();
    const over = new AbortController();
    const say = async (at: number) => {
      const message = at === until ? why : `${why} ${this.#notBefore(at)}`;
      await record({ type: "limit:waiting", session: leg.live.id, until: at, message });
    };
    this.#waiting = waiting;
    try {
      if (this.#work.job().pauseRequested) this.pause();
      const meanwhile = await Promise.race([
        this.#untilItsTurn(until, { turn, say }, over.signal),
        waiting.promise,
      ]);
      append({ type: "limit:over", session: leg.live.id });
      return meanwhile;
    } finally {
      over.abort();
      this.#waiting = undefined;
    }
  }

  /** Whatever comes later than what was said is said too. */
  async #untilItsTurn(
    until: number,
    { turn, say }: { turn: SharedLimits["turn"] | undefined; say: (at: number) => Promise<void> },
    over: AbortSignal,
  ): Promise<undefined> {
    const { config, now } = this.#work;
    const allowed = (at: number) => outside(config.session.notAfter, new Date(at)).getTime();
    let said = 0;
    let next: number | undefined = allowed(until);
    while (next !== undefined && !over.aborted) {
      if (next - said > LATER_MS) await say(next);
      said = Math.max(said, next);
      await this.#until(next, over);
      // Where the clock was set back, it is as late as was waited for.
      const at: number = Math.max(now().getTime(), next);
      next = allowed(at) > at ? allowed(at) : over.aborted ? undefined : await turn?.(new Date(at));
    }
  }

  #notBefore(at: number): string {
    const { notAfter } = this.#work.config.session;
    const isMorning = notAfter && new Date(at).getHours() * 60 + new Date(at).getMinutes() === notAfter.to;
    const hour = clock(new Date(at));
    return isMorning ? `It continues at ${hour}, by session.not_after.` : `It resets at ${hour}.`;
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

/** What a person can want of a job that waits: `to`: that another agent has it. */
type Meanwhile = "pause" | { to: string };

type Ended = Extract<LegEnd, { kind: "limited" | "no-access" | "trouble" }>;
type Out = Pick<Switch, "reason" | "message" | "until">;

function tried(times: number): string {
  if (times === 0) return "";
  return ` Tried again ${times === 1 ? "once" : `${times} times`}, without success.`;
}
