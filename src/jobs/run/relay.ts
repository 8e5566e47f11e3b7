import type { Agent } from "../../agents/agent.ts";
import type { AgentConfig } from "../../config/config.ts";
import { FactCollector } from "../../handoff/collect.ts";
import { resumePrompt } from "../../handoff/continuation.ts";
import { type Facts, noFacts } from "../../handoff/facts.ts";
import type { JobEvent, PauseCode } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import { spentBy } from "../../job/limits.ts";
import { keepGuard } from "../../processes/guard.ts";
import { ourMark } from "../../processes/own-mark.ts";
import { redactor } from "../../secrets/redact.ts";
import {
  type Outcome,
  type Workspace,
  type WorkspaceJob,
  type WorkspaceStrategy,
  WorkspaceTaken,
} from "../../workspace/workspace.ts";
import { workspaceEnvironment, workspaceSection } from "../../workspace/worktrees/environment.ts";
import { closeJob, finishClosing } from "../end/closing.ts";
import { ledgerOf } from "../end/janitor.ts";
import type { Journal } from "../journal.ts";
import { JobCancelled, JobInterrupted } from "../reasons.ts";
import { checkpoint, checkpointEvery } from "./checkpoints.ts";
import { Control } from "./control.ts";
import type { Conversation } from "./conversation.ts";
import { FullWindow } from "./full-window.ts";
import { type HandoffFrom, type Passed, Passing } from "./handoffs.ts";
import { startOf } from "./how-to-begin.ts";
import { JobHooks } from "./job-hooks.ts";
import { Sessions } from "./job-sessions.ts";
import { Leg, type LegEnd } from "./leg.ts";
import type { LiveSession } from "./live-session.ts";
import { earlierSession, keepForNext } from "./persistent.ts";
import type { Prestarted } from "./prestart.ts";
import { listenForRequests } from "./requests.ts";
import { type AfterTrouble, Trouble } from "./retries.ts";
import type { JobContext } from "./running-job.ts";
import { endEarlierAttempts } from "./spec.ts";
import { Talk } from "./talk.ts";
import { strategyFor, workspaceJob } from "./workspaces.ts";

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
  /** The program of the first session, started ahead with `prestart` in the same setting. */
  prestarted?: Prestarted;
  now?: () => Date;
}

/** Runs a claimed job to its end, through as many sessions as it takes. */
export function runJob(options: RelayOptions): Promise<Job> {
  return new Relay(options).run();
}

/** What decides after a leg. */
interface Parts {
  context: JobContext;
  passing: Passing;
  trouble: Trouble;
  fullWindow: FullWindow;
}

class Relay {
  readonly #options: RelayOptions;
  readonly #control: Control;
  /** Aborted when nobody would end the agent if this process were killed. */
  readonly #unguarded = new AbortController();
  readonly #signal: AbortSignal;
  readonly #now: () => Date;
  readonly #strategy: WorkspaceStrategy;
  #env: Record<string, string>;
  readonly #redact: ReturnType<typeof redactor>;
  readonly #append: (event: JobEvent) => void;
  readonly #record: (event: JobEvent) => Promise<void>;
  readonly #hooks: JobHooks;
  #workspace: Workspace | undefined;
  #context: JobContext | undefined;
  #checkpoints: AsyncDisposable | undefined;
  #passing: Passing | undefined;
  #talk: Talk | undefined;
  #leg: Leg | undefined;

  constructor(options: RelayOptions) {
    const { journal, config, env, signal, control = new Control(), now = () => new Date() } = options;
    this.#options = options;
    this.#now = now;
    this.#control = control;
    this.#signal = AbortSignal.any([signal, control.ending, this.#unguarded.signal, journal.lost]);
    this.#strategy = strategyFor(config, ledgerOf(journal.store));
    this.#env = env;
    this.#redact = redactor(this.#env);
    this.#append = (event) => journal.append(this.#redact(event));
    this.#record = (event) => journal.record(this.#redact(event));
    this.#hooks = new JobHooks({
      config,
      env: () => this.#env,
      store: journal.store.path,
      job: () => this.#job,
      append: this.#append,
      now,
    });
  }

  get #job(): Job {
    return this.#options.journal.job;
  }

  async run(): Promise<Job> {
    using _requests = listenForRequests(this.#options.journal, this.#control);
    using _guard = keepGuard((why) => this.#unguarded.abort(new JobInterrupted(why)));
    try {
      await this.#takeOver();
      if (this.#job.closing) {
        await this.#finishClosing();
        return this.#job;
      }
      const context = await this.#setUp();
      await using checkpoints = checkpointEvery(context);
      this.#checkpoints = checkpoints;
      const passing = new Passing(context);
      const trouble = new Trouble(context);
      const fullWindow = new FullWindow(context, passing);
      this.#passing = passing;
      const { conversation } = this.#options;
      if (conversation) this.#talk = new Talk(context, conversation);
      this.#control.attach({
        handOff: (focus) => this.#requested("manual", focus),
        callOff: () => this.#callOff(),
        breakOff: () => this.#leg?.breakOff() ?? false,
        handOffNow: () => fullWindow.handOffNow(),
      });
      await this.#beforeRun();
      this.#leg = await this.#firstLeg(context, passing);
      const parts = { context, passing, trouble, fullWindow };
      while (this.#leg) this.#leg = await this.#next(parts, this.#leg);
    } catch (error) {
      await this.#stopped(error);
    } finally {
      this.#control.over();
    }
    return this.#job;
  }

  /** Makes sure that nothing of an earlier owner still works in the folder, then makes the job ours. */
  async #takeOver(): Promise<void> {
    const { id: job, marker } = this.#job;
    if (marker !== null) await endEarlierAttempts({ job, attempt: this.#options.journal.attempt });
    this.#append({ type: "job:started", pid: process.pid, marker: ourMark.value });
  }

  async #setUp(): Promise<JobContext> {
    const { agent, config, prestarted, conversation } = this.#options;
    const workspace = await this.#strategy.setup(this.#work());
    this.#workspace = workspace;
    const workItem = this.#job.workItem ?? undefined;
    this.#env = { ...this.#env, ...workspaceEnvironment(config.workspace.envPrefix, workspace, workItem) };
    const whereabouts = workspaceSection(workspace, workItem);
    const shared = {
      agent,
      config,
      cwd: workspace.path,
      env: this.#env,
      ...(whereabouts !== undefined && { whereabouts }),
      facts: new FactCollector(workspace.path, await this.#factsSoFar()),
      job: () => this.#job,
      redact: this.#redact,
      append: this.#append,
      record: this.#record,
      signal: this.#signal,
    };
    this.#context = {
      ...shared,
      hooks: this.#hooks,
      sessions: new Sessions({
        ...shared,
        appendHeard: (event) => this.#options.journal.append(event),
        prestarted,
        ...(conversation && { overhear: conversation.overhear }),
      }),
      isAttended: conversation !== undefined,
      now: this.#now,
      newLeg: (live, continues) => this.#newLeg(live, continues),
    };
    return this.#context;
  }

  /** Facts are cumulative, also over jobs where one goes on from the document of another. */
  async #factsSoFar(): Promise<Facts> {
    const { journal } = this.#options;
    const known = this.#job.handoffs.length > 0 && (await journal.latest("facts:collected"));
    const created = this.#job.continues && (await journal.latest("job:created"));
    const facts = known ? known.facts : (created?.continues?.facts ?? noFacts(this.#job.prompt));
    if (this.#job.sessions.length === 0) return facts;
    const said = (await journal.all("message:sent")).flatMap(({ kind, text }) =>
      kind === "said" ? [text] : [],
    );
    return { ...facts, messages: [...new Set([...facts.messages, ...said])] };
  }

  async #firstLeg(context: JobContext, passing: Passing): Promise<Leg | undefined> {
    const { agent, env, sessions, append } = context;
    const last = this.#job.sessions.at(-1);
    const transcript = last && (await agent.findTranscript({ sessionId: last.id, env }));
    const start = startOf(this.#job, transcript !== undefined);
    if (last && last.endReason === null && start.mode !== "resumed") {
      append({ type: "session:ended", session: last.id, reason: "interrupted" });
    }
    switch (start.mode) {
      case "fresh": {
        const earlier = await this.#earlier(context);
        const live = earlier ?? sessions.warm();
        sessions.begin(live, earlier ? "resumed" : "fresh");
        const text = await this.#hooks.sessionStart(live.id, this.#job.prompt, undefined, this.#signal);
        await sessions.tell(live, { kind: "request", text, verbatim: false });
        return this.#newLeg(live, false);
      }
      case "document":
        return passing.beginFrom(start.document);
      case "continuation":
        return passing.continueFrom(start.handoff, sessions.warm(), this.#talk !== undefined);
      case "facts": {
        await sessions.collect(start.session.id);
        const lost = { trigger: "resume" as const, why: "the transcript of the session is gone" };
        const full = { trigger: "overflow" as const };
        const how = transcript ? full : lost;
        return this.#handOff(passing, { session: start.session.id, ...how, waits: this.#talk !== undefined });
      }
      case "resumed": {
        const live = await sessions.resume(start.session.id);
        sessions.begin(live, "resumed");
        if (start.handOff) {
          const from = { session: live.id, live, trigger: "resume" as const, answers: live };
          // A person can call it off, and says what comes after it.
          const attended = this.#talk && { leg: this.#newLeg(live, false), waits: true };
          return this.#handOff(passing, { ...from, ...attended });
        }
        const leg = this.#newLeg(live, false);
        if (this.#talk) leg.waiting = {};
        else await sessions.tell(live, { kind: "resume", text: resumePrompt(), verbatim: true });
        return leg;
      }
    }
  }

  /** The agent's last session, where the user wants its jobs to share one and it fits. */
  async #earlier(context: JobContext): Promise<LiveSession | undefined> {
    const earlier = await earlierSession(this.#options.journal.store, context);
    if (!earlier) return undefined;
    if ("unfit" in earlier) this.#append({ type: "warning", message: earlier.unfit });
    return "session" in earlier ? context.sessions.resume(earlier.session) : undefined;
  }

  /** The work of one leg, and what follows it. Undefined when the job is over. */
  async #next(parts: Parts, leg: Leg): Promise<Leg | undefined> {
    const { context, passing, trouble, fullWindow } = parts;
    const { sessions } = context;
    const { live } = leg;
    if (this.#talk && leg.waiting) return this.#listen(parts, this.#talk, leg);
    const end: LegEnd = await leg.run();
    if (leg.responded) trouble.over();
    if (this.#talk && end.kind === "completed" && leg.limitDue) {
      await sessions.end(live, "paused");
      return this.#pause(leg.limitDue.code, leg.limitDue.message);
    }
    if (this.#talk?.takesOver(leg, end)) {
      const due = end.kind === "completed" ? leg.handoffDue : undefined;
      if (due) return this.#passed(await fullWindow.handOff(handingOff(leg, due, true)));
      return this.#listen(parts, this.#talk, leg);
    }
    switch (end.kind) {
      case "completed":
        return (await this.#toldMore(context, leg)) ?? this.#complete(context, live, end.text);
      case "hand-off":
        return this.#passed(await fullWindow.handOff(handingOff(leg, end, leg.isBrokenOff)));
      case "overflow":
        return this.#handOff(passing, { session: live.id, live, trigger: "overflow" });
      case "limited":
        return this.#after(context, passing, leg, await trouble.limited(leg, end));
      case "trouble":
        return this.#after(context, passing, leg, await trouble.failed(leg, end));
      case "paused":
        await sessions.end(live, "paused");
        return this.#pause(end.code, end.message);
      case "failed":
        await sessions.end(live, "failed", end.message);
        await checkpoint(context, "failed");
        await this.#close({ kind: "failed", text: end.message });
        return undefined;
    }
  }

  /** What the person wants next, once the session has nothing more to do. */
  async #listen({ context, fullWindow }: Parts, talk: Talk, waiting: Leg): Promise<Leg | undefined> {
    const heard = await talk.listen(waiting);
    switch (heard.kind) {
      case "at-work":
        return heard.leg;
      case "hand-off":
        return this.#passed(await fullWindow.handOff(handingOff(heard.leg, heard, true)));
      case "end":
        return this.#complete(context, heard.leg.live, context.facts.facts().lastText ?? "");
    }
  }

  /** What the program that runs the job has said meanwhile is its next turn. */
  async #toldMore({ facts, sessions, redact }: JobContext, leg: Leg): Promise<Leg | undefined> {
    const said = this.#control.nextSaid();
    if (!said) return undefined;
    facts.add({ type: "user", text: redact(said.text) });
    const told = sessions.tell(leg.live, { kind: "said", text: said.text, verbatim: false });
    said.told.resolve(told);
    await told;
    return leg;
  }

  async #complete(context: JobContext, live: LiveSession, text: string): Promise<undefined> {
    await context.sessions.end(live, "completed");
    await keepForNext(this.#options.journal.store, context);
    await this.#close({ kind: "completed", text });
  }

  async #handOff(passing: Passing, from: HandoffFrom): Promise<Leg | undefined> {
    return this.#passed(await passing.handOff(from));
  }

  async #passed(passed: Passed): Promise<Leg | undefined> {
    if ("leg" in passed) return passed.leg;
    return this.#pause(passed.pause.code, passed.pause.message);
  }

  async #after(
    context: JobContext,
    passing: Passing,
    leg: Leg,
    after: AfterTrouble,
  ): Promise<Leg | undefined> {
    switch (after.next) {
      case "go-on":
        return leg;
      case "take-up-again":
        return this.#firstLeg(context, passing);
      case "pause":
        await checkpoint(context, "paused");
        return this.#pause(after.code, after.message);
    }
  }

  async #pause(code: PauseCode, message: string): Promise<undefined> {
    const { durationMs } = this.#options.config.limits;
    const spent = spentBy(this.#job, this.#now()).durationMs;
    const tookTooLong = code === "limit_reached" && durationMs !== undefined && spent >= durationMs;
    const event = code === "stalled" || tookTooLong ? "timeout" : "paused";
    await this.#hooks.ended({ event, text: this.#redact(message) }, this.#signal);
    await this.#record({ type: "job:paused", code, message });
  }

  #newLeg(live: LiveSession, continues: boolean): Leg {
    const { config } = this.#options;
    live.desk.onRequest((reason) => this.#requested("agent", reason));
    const job = () => this.#job;
    return new Leg(live, continues, {
      config,
      job,
      append: this.#append,
      now: this.#now,
      isAttended: this.#options.conversation !== undefined,
      signal: this.#signal,
    });
  }

  #requested(by: "manual" | "agent", focus?: string): { ok: boolean; text: string } {
    const answer = this.#leg
      ? this.#answer(this.#leg, by, focus)
      : { ok: false, text: "Nothing to hand off yet" };
    if (!answer.ok) this.#append({ type: "handoff:refused", message: answer.text });
    return answer;
  }

  #answer(leg: Leg, by: "manual" | "agent", focus?: string): { ok: boolean; text: string } {
    if (this.#job.pendingHandoff) return { ok: false, text: "A handoff is being made already" };
    const answer = leg.requestHandoff(by, focus);
    if (!answer.ok) return answer;
    const { conversation } = this.#options;
    if (conversation?.isAwaited) conversation.want({ kind: "hand-off", ...(focus && { focus }) });
    return answer;
  }

  #callOff(): boolean {
    if (this.#passing?.callOff()) return true;
    if (!this.#leg?.callOff()) return false;
    this.#append({ type: "handoff:cancelled", session: this.#leg.live.id, stage: "waiting" });
    return true;
  }

  /** Ends the agent first, so that what is then written about the job is its last word. */
  async #stopped(error: unknown): Promise<void> {
    const { journal } = this.#options;
    const reason = this.#signal.aborted ? this.#signal.reason : error;
    const ending = endingFor(reason);
    await this.#context?.sessions.endAll(ending.kind);
    if (journal.lost.aborted) throw reason;
    if (this.#context) await checkpoint(this.#context, ending.kind);
    const { kind, text } = ending;
    if (kind === "interrupted") await this.#record({ type: "job:interrupted", message: text });
    else await this.#close({ kind, text });
  }

  /** The last of a job: its workspace is closed, then the job. */
  async #close(outcome: Pick<Outcome, "kind" | "text">): Promise<void> {
    const { journal } = this.#options;
    // A git of ours in the worktree would look like somebody's who works there.
    await this.#checkpoints?.[Symbol.asyncDispose]();
    const redact = this.#redact;
    const workspace = this.#workspace ?? { strategy: "static", path: "" };
    const [strategy, hooks, work] = [this.#strategy, this.#hooks, this.#work()];
    await closeJob({ journal, redact, strategy, hooks, work, workspace, outcome });
  }

  /** Once a job: what has begun is not begun again. */
  async #beforeRun(): Promise<void> {
    if (this.#job.sessions.length > 0) return;
    const problem = await this.#hooks.beforeRun(this.#signal);
    this.#signal.throwIfAborted();
    if (problem) throw new Error(problem);
  }

  async #finishClosing(): Promise<void> {
    const { journal } = this.#options;
    const [strategy, hooks] = [this.#strategy, this.#hooks];
    await finishClosing({ journal, redact: this.#redact, strategy, hooks, work: this.#work() });
  }

  #work(): WorkspaceJob {
    const { journal } = this.#options;
    return workspaceJob(journal, {
      env: this.#env,
      signal: this.#signal,
      redact: this.#redact,
      now: this.#now,
    });
  }
}

function endingFor(reason: unknown): { kind: Ending; text: string } {
  const text = reason instanceof Error ? reason.message : String(reason);
  if (reason instanceof JobCancelled || reason instanceof WorkspaceTaken) return { kind: "cancelled", text };
  if (reason instanceof JobInterrupted) return { kind: "interrupted", text };
  return { kind: "failed", text };
}

function handingOff(leg: Leg, { trigger, focus }: Pick<HandoffFrom, "trigger" | "focus">, waits: boolean) {
  const { live } = leg;
  const from = { session: live.id, live, answers: live, leg, trigger, background: true, waits };
  return { ...from, ...(focus && { focus }) };
}

type Ending = "cancelled" | "interrupted" | "failed";
