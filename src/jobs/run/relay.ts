import type { Agent } from "../../agents/agent.ts";
import type { AgentConfig, MaintenanceConfig } from "../../config/config.ts";
import { workOnPrompt } from "../../handoff/continuation.ts";
import type { Job } from "../../job/job.ts";
import { keepGuard } from "../../processes/guard.ts";
import { messageOf } from "../../util/errors.ts";
import { WorkspaceGone } from "../../workspace/workspace.ts";
import type { Runner } from "../crew/crew.ts";
import { FullWindow } from "../handoff/full-window.ts";
import type { FromWork } from "../handoff/handoff-from.ts";
import { HandoffRequests } from "../handoff/handoff-requests.ts";
import { Handoffs, type Passed, type Pause } from "../handoff/handoffs.ts";
import type { Journal } from "../journal.ts";
import { tellMessages } from "../messages/tell.ts";
import { JobInterrupted } from "../reasons.ts";
import { watchCircles } from "../watchdog/circles-watch.ts";
import { checkpoint, checkpointEvery } from "./checkpoints.ts";
import { Control } from "./control.ts";
import type { Conversation } from "./conversation.ts";
import { endJob, finishEnding, pauseJob, stopJob } from "./ending.ts";
import { firstLeg } from "./first-leg.ts";
import { Ground } from "./ground.ts";
import type { Leg } from "./leg.ts";
import type { LegEnd } from "./leg-end.ts";
import type { LiveSession } from "./live-session.ts";
import { keepForNext } from "./persistent.ts";
import type { JobAtWork, Reached, SetUpJob } from "./phases.ts";
import type { Prestarted } from "./prestart.ts";
import { listenForRequests } from "./requests.ts";
import { type AfterTrouble, type Switch, Trouble } from "./retries.ts";
import { claimedJob, readyForWork, setUpJob, takeOver } from "./set-up.ts";
import { Talk } from "./talk.ts";
import type { ItemHands } from "./workspaces.ts";

export interface RelayOptions {
  /** Of a claimed job. */
  journal: Journal;
  config: AgentConfig;
  agent: Agent;
  /** Of this attempt at the job: what `jobEnvironment` made. */
  env: Record<string, string>;
  /** Aborted with a JobCancelled or a JobInterrupted to end the job from outside. */
  signal: AbortSignal;
  /** By which others in this process ask for a handoff, call one off, or cancel. Other processes need none. */
  control?: Control;
  /** With a person who takes part: after each turn the session waits for what they say next. */
  conversation?: Conversation;
  /** Who takes over where the agent cannot work, in this order. */
  standIns?: readonly Runner[];
  /** Has any other agent of the configuration ready for the job. Rejects with what is in its way. */
  join?: (name: string) => Promise<Runner>;
  /** The program of the first session, started ahead with `prestart` in the same setting. */
  prestarted?: Prestarted;
  /** Of a job that works on an item of a tracker. */
  item?: ItemHands;
  /** When worktrees of other jobs have to make room. */
  cleanup?: MaintenanceConfig["worktreeCleanup"];
  now?: () => Date;
}

/** Runs a claimed job to its end, through as many sessions as it takes. */
export async function runJob(options: RelayOptions): Promise<Job> {
  const { journal, control = new Control(), conversation, prestarted, now = () => new Date() } = options;
  /** Aborted when nobody would end the agent if this process were killed, or the job has nothing left to stand on. */
  const baseless = new AbortController();
  const signal = AbortSignal.any([
    options.signal,
    control.ending,
    baseless.signal,
    journal.lost,
    journal.held,
  ]);
  const claimed = claimedJob({ ...options, signal, now });
  let reached: Reached = { phase: "claimed", job: claimed };
  await using boxes = claimed.boxes;
  using _requests = listenForRequests(journal, control);
  using _circles = watchCircles(journal);
  using _guard = keepGuard((why) => baseless.abort(new JobInterrupted(why)));
  try {
    await takeOver(claimed);
    await boxes.takeOver(claimed);
    if (journal.job.closing) {
      await finishEnding(claimed);
      return journal.job;
    }
    const job = await setUpJob(claimed);
    reached = { phase: "set-up", job };
    await using ground = await Ground.under({
      job: journal.job.id,
      folder: job.workspace.path,
      store: journal.store.path,
      onGone: (why) => (why instanceof WorkspaceGone ? baseless.abort(why) : journal.lose(why)),
    });
    const requests = new HandoffRequests({ ...job, conversation });
    const work = await readyForWork(job, { requests, prestarted, conversation });
    reached = { phase: "at-work", job, work };
    await using _crew = work.crew;
    await using checkpoints = checkpointEvery(work);
    const talk = conversation && new Talk(() => work.crew.current(), conversation);
    await new Relay({ job, work, ground, checkpoints, requests, control, talk }).run();
  } catch (error) {
    await stopJob(reached, error);
  } finally {
    claimed.strategy.release?.();
  }
  return journal.job;
}

interface RelayParts {
  job: SetUpJob;
  work: JobAtWork;
  ground: Ground;
  checkpoints: AsyncDisposable;
  requests: HandoffRequests;
  control: Control;
  /** Where a person takes part. */
  talk: Talk | undefined;
}

const AWAITED = "It waits for what its person says next.";

/** Passes a job that is set up from one stretch of work to the next, until it is over. */
class Relay {
  readonly #job: SetUpJob;
  readonly #ground: Ground;
  readonly #checkpoints: AsyncDisposable;
  readonly #requests: HandoffRequests;
  readonly #control: Control;
  readonly #talk: Talk | undefined;
  /** With the agent that runs it, and so are the next three. */
  #work: JobAtWork;
  #handoffs: Handoffs;
  #trouble: Trouble;
  #fullWindow: FullWindow;
  #leg: Leg | undefined;

  constructor({ job, work, ground, checkpoints, requests, control, talk }: RelayParts) {
    this.#job = job;
    this.#work = work;
    this.#ground = ground;
    this.#checkpoints = checkpoints;
    this.#requests = requests;
    this.#control = control;
    this.#talk = talk;
    this.#handoffs = new Handoffs(work);
    this.#trouble = new Trouble(work);
    this.#fullWindow = new FullWindow(work, this.#handoffs);
  }

  async run(): Promise<void> {
    this.#control.attach({
      handOff: (focus, to) => void this.#requested(focus, to),
      callOff: () => this.#handoffs.callOff() || this.#requests.callOff(),
      breakOff: () => this.#requests.breakOff(),
      handOffNow: () => this.#fullWindow.handOffNow(),
      lookForMessages: () => void this.#lookForMessages(),
      pause: () => {
        this.#leg?.pauseIfWanted();
        this.#trouble.pause();
      },
      // The journal meets the same trouble with the store, and says so.
      lookForAnswers: () => void this.#work.asks.look().catch(() => {}),
    });
    await this.#beforeRun();
    let leg = await this.#begin();
    while (leg) {
      this.#requests.turnTo(leg);
      this.#leg = leg;
      await this.#work.messages.turnTo(leg.live.id);
      leg = await this.#next(leg);
    }
    this.#requests.turnTo(undefined);
    this.#leg = undefined;
  }

  /** From now on another agent runs it. */
  #turnTo(work: JobAtWork): void {
    if (work === this.#work) return;
    this.#work = work;
    this.#handoffs = new Handoffs(work);
    this.#trouble = new Trouble(work);
    this.#fullWindow = new FullWindow(work, this.#handoffs);
  }

  /** By a person. `to`: the agent that they want to have it. */
  async #requested(focus?: string, to?: string): Promise<void> {
    const { crew, append } = this.#work;
    if (to !== undefined) {
      if (to === crew.choice.current) return this.#requests.refuse(`${to} runs the job already`);
      try {
        await crew.join(to);
      } catch (error) {
        return this.#requests.refuse(messageOf(error));
      }
    }
    if (!this.#trouble.isWaiting) {
      this.#requests.request("manual", focus, to);
    } else if (to === undefined) {
      this.#requests.refuse("The session waits, and could write nothing. Hand it to another agent with --to");
    } else {
      append({ type: "handoff:requested", session: this.#leg?.live.id ?? "", by: "manual", to });
      this.#trouble.handTo(to);
    }
  }

  async #lookForMessages(): Promise<void> {
    // The journal meets the same trouble with the store, and says so.
    await this.#work.messages.look().catch(() => {});
    this.#leg?.lookForMessages();
    this.#talk?.lookForMessages();
  }

  /** Once a job: what has begun is not begun again. */
  async #beforeRun(): Promise<void> {
    const { job, hooks, signal } = this.#work;
    if (job().sessions.length > 0) return;
    const problem = await hooks.beforeRun(signal);
    signal.throwIfAborted();
    if (problem) throw new Error(problem);
  }

  async #begin(): Promise<Leg | undefined> {
    return this.#passed(
      await firstLeg(this.#work, this.#handoffs, this.#job.journal.store, { isAway: this.#talk?.isAway }),
    );
  }

  /** The work of one leg, and what follows it. Undefined when the job is over. */
  async #next(leg: Leg): Promise<Leg | undefined> {
    const { sessions } = this.#work;
    const { live } = leg;
    const talk = this.#talk;
    if (talk && leg.isWaiting)
      return leg.handoffDue ? this.#handOff(leg, leg.handoffDue, true) : this.#listen(talk, leg);
    const end: LegEnd = await leg.run();
    if (end.kind !== "paused") this.#work.asks.withdraw();
    // What a session without its folder came to is no result, and its failure has another reason than it gives.
    this.#ground.check();
    if (leg.responded) this.#trouble.over();
    if (end.kind === "limited") await this.#trouble.share(end);
    if (end.kind === "limited" || end.kind === "no-access") {
      const standIn = this.#trouble.standIn(end);
      if (standIn) return this.#switch(leg, standIn);
    }
    if (talk && end.kind === "completed" && leg.limitDue) {
      await sessions.end(live, "paused");
      return this.#pause(leg.limitDue);
    }
    if (talk?.takesOver(leg, end)) {
      const due = end.kind === "completed" ? leg.handoffDue : undefined;
      return due ? this.#handOff(leg, due, true) : this.#listen(talk, leg);
    }
    switch (end.kind) {
      case "completed":
        return (await this.#toldMore(leg)) ?? this.#complete(live, end.text);
      case "hand-off":
        return this.#handOff(leg, end, leg.isBrokenOff);
      case "message":
        return this.#hearMessages(leg);
      case "overflow":
        return this.#passed(await this.#handoffs.handOff({ kind: "overflowed", live }));
      case "limited":
        return this.#after(leg, await this.#trouble.limited(leg, end));
      case "trouble":
        return this.#after(leg, await this.#trouble.failed(leg, end));
      case "paused":
        await sessions.end(live, "paused");
        this.#work.asks.withdraw();
        return this.#pause(end);
      case "no-access":
        return this.#after(leg, await this.#trouble.noAccess(leg, end));
      case "failed":
        return this.#fail(live, end.message);
    }
  }

  /** What the person wants next, once the session has nothing more to do. */
  async #listen(talk: Talk, waiting: Leg): Promise<Leg | undefined> {
    const heard = await talk.listen(waiting);
    switch (heard.kind) {
      case "at-work":
        return heard.leg;
      case "hand-off":
        return this.#handOff(heard.leg, heard, true);
      case "rest":
        return this.#rest(heard.leg);
      case "end":
        return this.#complete(heard.leg.live, this.#work.facts.facts().lastText ?? "");
    }
  }

  /** In the middle of its work. What made it stop may have been taken back since. */
  async #hearMessages(leg: Leg): Promise<Leg> {
    const { sessions, messages } = this.#work;
    const sent = await messages.take("boundary", leg.live.id);
    leg.messagesTold();
    if (sent.length > 0) await tellMessages(this.#work, leg.live, sent, { kind: "meanwhile" });
    else await sessions.tell(leg.live, { kind: "retry", text: workOnPrompt(), verbatim: true });
    return leg;
  }

  /** What was sent to the job is its next turn. Undefined where there is nothing, and from then on nothing can come. */
  async #toldMore(leg: Leg): Promise<Leg | undefined> {
    const { messages } = this.#work;
    for (;;) {
      const sent = await messages.take("end", leg.live.id);
      if (sent.length > 0) {
        await tellMessages(this.#work, leg.live, sent, { kind: "next" });
        return leg;
      }
      if (await messages.close()) return undefined;
    }
  }

  async #handOff(
    leg: Leg,
    { trigger, focus, to }: Pick<FromWork, "trigger" | "focus" | "to">,
    waits: boolean,
  ): Promise<Leg | undefined> {
    const wanted = { ...(focus && { focus }), ...(to && { to }) };
    const from: FromWork = { kind: "work", leg, trigger, waits, ...wanted };
    return this.#passed(await this.#fullWindow.handOff(from));
  }

  async #passed(passed: Passed): Promise<Leg | undefined> {
    if (!("leg" in passed)) return this.#pause(passed.pause);
    this.#turnTo(passed.work);
    return passed.leg;
  }

  /** On record before anything else, so that whoever continues the job does so with the right agent. */
  async #switch({ live }: Leg, { to, reason, message, until }: Switch): Promise<Leg | undefined> {
    const { config, record } = this.#work;
    const from = config.name;
    await record({
      type: "agent:switched",
      from,
      to,
      reason,
      message,
      ...(until !== undefined && { until }),
    });
    return this.#passed(await this.#handoffs.handOff({ kind: "cut-off", live, reason }));
  }

  async #after(leg: Leg, after: AfterTrouble): Promise<Leg | undefined> {
    switch (after.next) {
      case "go-on":
        return leg;
      case "take-up-again":
        return this.#begin();
      case "switch":
        return this.#switch(leg, after);
      case "fail":
        return this.#fail(leg.live, after.message);
      case "pause":
        await checkpoint(this.#work, "paused");
        return this.#pause(after);
    }
  }

  async #fail(live: LiveSession, message: string): Promise<undefined> {
    await this.#work.sessions.end(live, "failed", message);
    await checkpoint(this.#work, "failed");
    return this.#close({ kind: "failed", text: message });
  }

  async #pause({ code, message }: Pause): Promise<undefined> {
    await pauseJob(this.#job, code, message);
  }

  /** No trouble, and no news for anybody: what the person says next continues the session. */
  async #rest({ live }: Leg): Promise<undefined> {
    await this.#work.sessions.end(live, "paused");
    await this.#work.record({ type: "job:paused", code: "awaiting", message: AWAITED });
  }

  async #complete(live: LiveSession, text: string): Promise<undefined> {
    await this.#work.sessions.end(live, "completed");
    await keepForNext(this.#job.journal.store, this.#work);
    return this.#close({ kind: "completed", text });
  }

  async #close(outcome: { kind: "completed" | "failed"; text: string }): Promise<undefined> {
    // A git of ours in the worktree would look like somebody's who works there. From here on it may go.
    await this.#checkpoints[Symbol.asyncDispose]();
    await this.#ground[Symbol.asyncDispose]();
    await endJob(this.#job, outcome);
  }
}
