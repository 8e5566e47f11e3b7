import type { AgentEvent, Outcome } from "../../agents/events.ts";
import type { AgentConfig } from "../../config/config.ts";
import type { JobEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import type { Spent } from "../../job/limits.ts";
import type { Changes } from "../../job/watchdog/stall.ts";
import type { Activity } from "../../processes/activity.ts";
import type { Mark } from "../../processes/marks.ts";
import { type Asks, firstOf } from "../asks/asks.ts";
import type { BudgetWatch } from "../budgets.ts";
import { SETTLING_MS } from "../handoff/ask.ts";
import { StallWatch } from "../watchdog/stall-watch.ts";
import { BackgroundRest } from "./background-rest.ts";
import type { Opening } from "./job-sessions.ts";
import {
  endOfProgram,
  endOfTurn,
  isOwnLimit,
  type LegEnd,
  PAUSE_REQUESTED,
  type Stop,
  stalled,
  type WantedHandoff,
} from "./leg-end.ts";
import type { LiveSession } from "./live-session.ts";
import { LimitWatch } from "./watches/limit-watch.ts";
import { WindowWatch } from "./watches/window-watch.ts";

export interface LegContext {
  config: AgentConfig;
  job: () => Job;
  append: (event: JobEvent) => void;
  /** What the job has used of its allowance by now. A clock that was set is no time. */
  spent: () => Spent;
  budgets?: BudgetWatch;
  activity: (mark: Mark) => Promise<Activity | undefined>;
  /** Whether what a session waits for does something: what has changed since the last look. */
  lifeSigns: (mark: Mark) => () => Promise<Changes>;
  /** A person takes part, so the work can go on after it is done. */
  isAttended: boolean;
  /** What waits for a person: silence is theirs, not the agent's. */
  asks?: Pick<Asks, "isAsking" | "dueInMs" | "overdue" | "calls">;
  /** Something was sent to the session that it is to hear at its next boundary. */
  hasMessage?: () => boolean;
  /** Somebody wants the job to rest. */
  isPauseWanted?: () => boolean;
  /** A limit is near, or the API fails. */
  onTroubleNear?: () => void;
  signal: AbortSignal;
}

/** A turn that was asked to stop and neither runs a tool nor ends is cut short after this. */
const STOP_GRACE_MS = 60_000;

export const NOTHING_YET = "Nothing to hand off yet";

type ResponseEvent = Extract<AgentEvent, { type: "response" }>;

/** One session's work, from a message to the moment when somebody must decide what comes next. */
export class Leg {
  readonly live: LiveSession;
  readonly #context: LegContext;
  readonly #continues: boolean;
  readonly #window: WindowWatch;
  readonly #limits: LimitWatch;
  /** Set while the session waits for a person, with what it is to be told before what they say. */
  #waiting: { first: Opening | undefined } | undefined;
  #stop: (Stop & { askedAt: number }) | undefined;
  #running = false;
  /** A handoff was asked for after the message was sent, and before this work began to listen. */
  #isAskedBefore = false;
  #finished: string | undefined;
  #isBrokenOff = false;
  #quietSince = 0;
  readonly #stall: StallWatch;
  #responded = false;
  readonly #rest: BackgroundRest;

  /** `continues`: the session began from a handoff. */
  constructor(live: LiveSession, continues: boolean, context: LegContext) {
    this.live = live;
    this.#continues = continues;
    this.#context = context;
    this.#window = new WindowWatch(live, context);
    this.#limits = new LimitWatch(live, {
      ...context,
      time: () => this.#time(),
      stopFor: (stop) => this.#stopFor(stop),
      isRunning: () => this.#running,
    });
    this.#stall = new StallWatch({
      session: live.id,
      timeoutMs: context.config.session.stallTimeoutMs,
      tool: () => this.#toolAwaited(),
      look: context.lifeSigns(live.mark),
      append: context.append,
      time: () => this.#time(),
    });
    this.#rest = new BackgroundRest(
      () => context.activity(live.mark),
      context.config.session.backgroundGraceMs,
    );
  }

  /** True while it is for a person to say what the session does next. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** What the session is to be told before what the person says. */
  get unheard(): Opening | undefined {
    return this.#waiting?.first;
  }

  /** The session does nothing before a person has spoken, and hears `first` before that. */
  waitForPerson(first?: Opening): void {
    this.#waiting = { first };
  }

  /** The session has work again: a person has spoken, or something in its background has ended. */
  stopWaiting(): void {
    this.#waiting = undefined;
  }

  /** True once the model has answered since the last message. */
  get responded(): boolean {
    return this.#responded;
  }

  /** True when a person ended the turn that ran last. */
  get isBrokenOff(): boolean {
    return this.#isBrokenOff;
  }

  /** The handoff that the turn was over too soon for. */
  get handoffDue(): Extract<Stop, { kind: "hand-off" }> | undefined {
    return this.#stop?.kind === "hand-off" ? this.#stop : undefined;
  }

  /** The user's own limit that the turn was over too soon for. */
  get limitDue(): Extract<Stop, { kind: "paused" }> | undefined {
    const stop = this.#stop;
    return stop?.kind === "paused" && isOwnLimit(stop.code) ? stop : undefined;
  }

  /** The session rests, and what its last turn was to stop for is over with it. */
  settle(): void {
    this.#stop = undefined;
  }

  async run(): Promise<LegEnd> {
    // What somebody has asked for while the message was on its way still holds.
    if (!this.#context.isAttended && !this.#isAskedBefore) this.settle();
    this.#isAskedBefore = false;
    this.#isBrokenOff = false;
    this.#finished = undefined;
    this.#responded = false;
    this.#stall.alive("events");
    this.#running = true;
    this.#limits.lookAtBudgets();
    this.pauseIfWanted();
    this.lookForMessages();
    try {
      for (;;) {
        const event = await this.live.next(this.#patience(), this.#context.signal);
        if (event !== undefined) this.#stall.alive("events");
        const end = event === undefined ? await this.#silence() : this.#heard(event);
        if (end) return end;
      }
    } finally {
      this.#running = false;
    }
  }

  #heard(event: AgentEvent): LegEnd | undefined {
    switch (event.type) {
      case "response":
        if (event.subagent !== undefined) return this.#limits.subagentHeard();
        this.#window.continued();
        this.#responseHeard(event);
        return undefined;
      case "tool:start":
        this.#window.continued();
        return undefined;
      case "turn:end":
        return this.#turnEnded(event.outcome);
      case "idle":
      case "background":
        this.#quietSince = this.#time();
        return this.#finishedIfQuiet();
      case "exit":
        return endOfProgram(event);
      case "limit":
      case "retry":
        this.#context.onTroubleNear?.();
        return undefined;
      default:
        return undefined;
    }
  }

  #responseHeard(response: ResponseEvent): void {
    this.#finished = undefined;
    this.#responded = true;
    this.#limits.askCost();
    if (this.#continues) this.#stopFor(this.#window.thrashing());
    this.#stopFor(this.#limits.reached());
    this.#stopFor(this.#limits.uncounted(response));
    this.#limits.lookAtBudgets();
    const mayBeOver = !this.#context.isAttended && !this.live.toolRunning;
    this.#stopFor(this.#window.heard(this.isEnding, mayBeOver));
  }

  /** The turn is to stop for good, and not only to hear a message. */
  get isEnding(): boolean {
    return this.#stop !== undefined && this.#stop.kind !== "message";
  }

  /** What was sent to the session may have changed. */
  lookForMessages(): void {
    if (!this.#running) return;
    const isDue = this.#context.hasMessage?.() ?? false;
    if (isDue) this.#stopFor({ kind: "message" });
    else if (this.#stop?.kind === "message") {
      this.#stop = undefined;
      this.live.session.goOn();
    }
  }

  /** Somebody may want the job to rest. */
  pauseIfWanted(): void {
    if (!this.#running || !this.#context.isPauseWanted?.()) return;
    this.#stopFor({ kind: "paused", code: "requested", message: PAUSE_REQUESTED });
  }

  /** The session has been told what its turn was to stop for. */
  messagesTold(): void {
    if (this.#stop?.kind === "message") this.#stop = undefined;
  }

  /** For a person or the agent itself. The answer says what will happen. */
  requestHandoff(by: "manual" | "agent", wanted: WantedHandoff = {}): { ok: boolean; text: string } {
    const { append } = this.#context;
    // The agent's own call can come before its response is heard, and another agent continues whatever there is by then.
    if (by === "manual" && wanted.to === undefined && !this.#hasAnswered())
      return { ok: false, text: NOTHING_YET };
    if (this.#finished !== undefined && !this.#context.isAttended)
      return { ok: false, text: "The work is done: there is nothing left to hand off" };
    if (this.isEnding) return { ok: false, text: "The session is stopping already" };
    append({ type: "handoff:requested", session: this.live.id, by, ...wanted });
    this.#isAskedBefore = !this.#running;
    this.#stopFor({ kind: "hand-off", trigger: by, ...wanted });
    return { ok: true, text: "The work is handed over at the next boundary: finish this step and stop." };
  }

  /** Also in an earlier run of its program. */
  #hasAnswered(): boolean {
    const known = this.#context.job().sessions.find(({ id }) => id === this.live.id);
    return this.live.context.turns > 0 || (known?.turns ?? 0) > 0;
  }

  /** Takes back a handoff that waits for its boundary. False when there is none. */
  callOff(): boolean {
    if (!this.#running || this.#stop?.kind !== "hand-off") return false;
    this.#stop = undefined;
    this.live.session.goOn();
    this.postpone();
    this.lookForMessages();
    return true;
  }

  /** Ends the turn that is running, for a person who wants something else. False when none is running. */
  breakOff(): boolean {
    if (!this.#running || this.live.quiet !== "busy") return false;
    this.#isBrokenOff = true;
    void this.live.session.interrupt().catch(() => {});
    return true;
  }

  /** Ends the turn that is running, and waits for that. */
  async interrupt(): Promise<void> {
    await this.live.session.interrupt().catch(() => {});
    while (this.live.quiet === "busy") {
      const event = await this.live.next(SETTLING_MS, this.#context.signal);
      if (event === undefined || event.type === "exit") return;
    }
  }

  /** The session has been spared a handoff: it gets room for another twentieth of its window. */
  postpone(): void {
    this.#stop = undefined;
    this.#window.postpone();
  }

  #stopFor(stop: Stop | undefined): void {
    // A message waits for whoever is there after the end.
    if (!stop || this.isEnding || this.#stop?.kind === stop.kind) return;
    this.#stop = { ...stop, askedAt: this.#time() };
    this.live.session.stopAtBoundary();
  }

  #turnEnded(outcome: Outcome): LegEnd | undefined {
    if (outcome.kind !== "completed") return endOfTurn(outcome, this.#stop);
    this.#finished = outcome.text;
    this.#quietSince = this.#time();
    return this.#finishedIfQuiet();
  }

  /** The agent is done when it says so and nothing of it runs any more. */
  #finishedIfQuiet(): LegEnd | undefined {
    const { quiet } = this.live;
    // A person need not wait for a server that the agent has started.
    const isOver = quiet === "quiet" || (quiet === "commands" && this.#context.isAttended);
    if (this.#finished === undefined || !isOver) return undefined;
    return { kind: "completed", text: this.#finished };
  }

  /** How long to wait for the next event before `#silence` is asked. */
  #patience(): number {
    const { session, limits } = this.#context.config;
    const { quiet, toolRunning } = this.live;
    const due = [this.#stall.nextLookAt];
    if (this.#stop && this.isEnding && !toolRunning) due.push(this.#stop.askedAt + STOP_GRACE_MS);
    if (!this.isEnding && limits.durationMs !== undefined)
      due.push(this.#time() + this.#durationLeft(limits.durationMs));
    const { asks } = this.#context;
    // What is asked from now on is due no sooner.
    const soonest = firstOf(this.#context.config.approvals);
    if (asks) due.push(this.#time() + (asks.isAsking ? asks.dueInMs : soonest));
    if (this.#finished !== undefined && quiet === "settling") due.push(this.#quietSince + SETTLING_MS);
    if (this.#finished !== undefined && quiet === "commands") {
      due.push(this.#quietSince + session.backgroundGraceMs, this.#time() + this.#rest.intervalMs);
    }
    return Math.max(1, Math.min(...due) - this.#time());
  }

  /** Nothing was heard for as long as `#patience` said. */
  async #silence(): Promise<LegEnd | undefined> {
    const { config, append } = this.#context;
    const { live } = this;
    if (this.#finished !== undefined && live.quiet !== "busy") {
      const isOver = this.#time() >= this.#quietSince + config.session.backgroundGraceMs;
      const atRest = live.quiet === "commands" && (await this.#rest.isReached());
      if (live.quiet === "commands" && !isOver && !atRest) return undefined;
      if (live.background.length > 0)
        append({ type: "background:left", session: live.id, tasks: live.background, atRest });
      return { kind: "completed", text: this.#finished };
    }
    if (
      this.#stop &&
      this.isEnding &&
      !live.toolRunning &&
      this.#time() >= this.#stop.askedAt + STOP_GRACE_MS
    ) {
      this.#stop.askedAt = this.#time();
      await live.session.interrupt().catch(() => {});
      return undefined;
    }
    const { asks } = this.#context;
    if (asks?.isAsking) {
      this.#stall.alive("events");
      const noAnswer = await asks.overdue(this.#isBusyBeside(asks));
      if (noAnswer) return { kind: "paused", ...noAnswer };
    }
    if ((await this.#stall.check()) === "stalled") return stalled(config.session.stallTimeoutMs);
    this.#stopFor(this.#limits.reached());
    return undefined;
  }

  /** What the main thread waits for; undefined where that is the model. */
  #toolAwaited(): string | undefined {
    if (!this.live.toolRunning) return undefined;
    const { name, summary } = this.#context.job().tools[0] ?? { name: "a tool", summary: "" };
    return `${name} ${summary}`.trim();
  }

  /** Something runs besides what waits for an answer. */
  #isBusyBeside({ calls }: Pick<Asks, "calls">): boolean {
    const { live } = this;
    return live.background.length > 0 || live.runningTools.some((id) => !calls.has(id));
  }

  #durationLeft(limitMs: number): number {
    return limitMs - this.#context.spent().durationMs;
  }

  /** Of no clock that could be set. */
  #time(): number {
    return performance.now();
  }
}
