import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "../agents/agent.ts";
import { startGuard } from "../agents/guard.ts";
import { ourMark } from "../agents/identity.ts";
import { endMarked, ownerMark } from "../agents/marked.ts";
import type { AgentConfig } from "../config/config.ts";
import { thrash } from "../context/policy.ts";
import { FactCollector } from "../handoff/collect.ts";
import { calledOffPrompt, continuationPrompt, goOnPrompt, resumePrompt } from "../handoff/continuation.ts";
import { parseDocument } from "../handoff/document.ts";
import { type Facts, noFacts } from "../handoff/facts.ts";
import { findDocument } from "../handoff/history.ts";
import { setUpStatic } from "../workspace/static.ts";
import { letBackgroundFinish } from "./ask.ts";
import type { Control } from "./control.ts";
import { HandoffCalledOff, JobCancelled, JobInterrupted } from "./ending.ts";
import type { ContextFigures, HandoffTrigger, JobEvent, PauseCode } from "./events.ts";
import { type HandoverContext, makeHandoff } from "./handover.ts";
import type { HandoffRecord, Job } from "./job.ts";
import type { Journal } from "./journal.ts";
import { Leg, type LegEnd } from "./leg.ts";
import { backoffMs } from "./limits.ts";
import type { LiveSession } from "./live-session.ts";
import type { Prestarted } from "./prestart.ts";
import { redactor } from "./redact.ts";
import { Sessions } from "./sessions.ts";
import { jobEnvironment } from "./spec.ts";
import { startOf } from "./start.ts";

export interface RelayOptions {
  /** Of a claimed job. */
  journal: Journal;
  config: AgentConfig;
  agent: Agent;
  /** What the agent's environment is made from; the agent's own `env` goes over it. */
  env: Record<string, string>;
  /** Aborted with a JobCancelled or a JobInterrupted to end the job from outside. */
  signal: AbortSignal;
  /** By which others ask for a handoff, or call one off. */
  control?: Control;
  /** The program of the first session, started ahead with `prestart` in the same setting. */
  prestarted?: Prestarted;
  now?: () => Date;
}

/** Runs a claimed job to its end, through as many sessions as it takes. */
export function runJob(options: RelayOptions): Promise<Job> {
  return new Relay(options).run();
}

class Relay {
  readonly #journal: Journal;
  readonly #config: AgentConfig;
  readonly #agent: Agent;
  readonly #env: Record<string, string>;
  readonly #signal: AbortSignal;
  readonly #now: () => Date;
  readonly #append: (event: JobEvent) => void;
  readonly #record: (event: JobEvent) => Promise<void>;
  readonly #redact: ReturnType<typeof redactor>;
  readonly #control: Control | undefined;
  readonly #prestarted: Prestarted | undefined;
  #sessions: Sessions | undefined;
  #facts = new FactCollector("", noFacts(""));
  #cwd = "";
  #leg: Leg | undefined;
  /** Aborted to call off the handoff that is being made. */
  #handoff: AbortController | undefined;
  /** Failures since the model last answered. */
  #troubles = 0;

  constructor({
    journal,
    config,
    agent,
    env,
    signal,
    control,
    prestarted,
    now = () => new Date(),
  }: RelayOptions) {
    this.#control = control;
    this.#prestarted = prestarted;
    this.#journal = journal;
    this.#config = config;
    this.#agent = agent;
    this.#env = jobEnvironment(env, config, journal.job.id);
    this.#signal = AbortSignal.any([signal, journal.lost]);
    this.#now = now;
    this.#redact = redactor(this.#env);
    this.#append = (event) => journal.append(this.#redact(event));
    this.#record = (event) => journal.record(this.#redact(event));
  }

  get #job(): Job {
    return this.#journal.job;
  }

  async run(): Promise<Job> {
    try {
      const sessions = await this.#takeOver();
      this.#control?.attach({
        handOff: (focus) => this.#requested("manual", focus),
        callOff: () => this.#callOff(),
      });
      this.#leg = await this.#firstLeg(sessions);
      while (this.#leg) this.#leg = await this.#next(sessions, this.#leg, await this.#leg.run());
    } catch (error) {
      await this.#stopped(error);
    }
    return this.#job;
  }

  /** Makes sure that nothing of an earlier owner still works in the folder, then makes the job ours. */
  async #takeOver(): Promise<Sessions> {
    startGuard();
    const { marker } = this.#job;
    if (marker !== null && marker !== ourMark.value) await endMarked(ownerMark(marker));
    this.#append({ type: "job:started", pid: process.pid, marker: ourMark.value });
    const workspace = await setUpStatic(this.#job.workspace?.path ?? this.#config.workingDirectory);
    if (this.#job.workspace === null) this.#append({ type: "workspace:ready", ...workspace });
    this.#cwd = workspace.path;
    this.#facts = new FactCollector(workspace.path, await this.#factsSoFar());
    this.#sessions = new Sessions({
      agent: this.#agent,
      config: this.#config,
      cwd: workspace.path,
      env: this.#env,
      facts: this.#facts,
      prestarted: this.#prestarted,
      job: () => this.#job,
      redact: this.#redact,
      append: this.#append,
      record: this.#record,
    });
    return this.#sessions;
  }

  /** Facts are cumulative, also over jobs where one goes on from the document of another. */
  async #factsSoFar(): Promise<Facts> {
    const known = await this.#journal.latest("facts:collected");
    if (known) return known.facts;
    const created = this.#job.continues && (await this.#journal.latest("job:created"));
    return created?.continues?.facts ?? noFacts(this.#job.prompt);
  }

  async #firstLeg(sessions: Sessions): Promise<Leg | undefined> {
    const last = this.#job.sessions.at(-1);
    const transcript = last && (await this.#agent.findTranscript({ sessionId: last.id, env: this.#env }));
    const start = startOf(this.#job, transcript !== undefined);
    if (last && last.endReason === null && start.mode !== "resumed") {
      this.#append({ type: "session:ended", session: last.id, reason: "interrupted" });
    }
    switch (start.mode) {
      case "fresh": {
        const live = sessions.warm();
        sessions.begin(live, "fresh");
        await sessions.tell(live, { kind: "request", text: this.#job.prompt, verbatim: false });
        return this.#newLeg(live, false);
      }
      case "document":
        return this.#beginFrom(sessions, start.document);
      case "continuation":
        return this.#continueFrom(sessions, start.handoff, sessions.warm());
      case "facts":
        await sessions.collect(start.session.id);
        return this.#handOff(sessions, { session: start.session.id, trigger: "overflow" });
      case "resumed": {
        const live = await sessions.resume(start.session.id);
        sessions.begin(live, "resumed");
        if (start.handOff) {
          return this.#handOff(sessions, { session: live.id, live, trigger: "resume", answers: live });
        }
        await sessions.tell(live, { kind: "resume", text: resumePrompt(), verbatim: true });
        return this.#newLeg(live, false);
      }
    }
  }

  /** What follows when the work in a session has come to a stop. Undefined when the job is over. */
  async #next(sessions: Sessions, leg: Leg, end: LegEnd): Promise<Leg | undefined> {
    const { live } = leg;
    if (leg.responded) this.#troubles = 0;
    switch (end.kind) {
      case "completed":
        await sessions.end(live, "completed");
        await this.#record({ type: "job:completed", result: end.text });
        return undefined;
      case "hand-off": {
        const { trigger, focus } = end;
        const from = { session: live.id, live, answers: live, leg, trigger, ...(focus && { focus }) };
        return this.#handOff(sessions, { ...from, background: true });
      }
      case "overflow":
        return this.#handOff(sessions, { session: live.id, live, trigger: "overflow" });
      case "limited":
        return this.#waitForLimit(sessions, leg, end);
      case "trouble":
        return this.#tryAgain(sessions, leg, end);
      case "paused":
        await sessions.end(live, "paused");
        return this.#pause(end.code, end.message);
      case "failed":
        await sessions.end(live, "failed", end.message);
        await this.#record({ type: "job:failed", error: end.message });
        return undefined;
    }
  }

  async #handOff(sessions: Sessions, from: HandoffFrom): Promise<Leg | undefined> {
    const startedAt = this.#now();
    const number = this.#job.handoffs.length + 1;
    const figures = this.#job.context ?? { tokens: 0, window: 0, percent: 0 };
    const halt = this.#haltAfterHandoff(from.session);
    const calledOff = new AbortController();
    this.#handoff = from.leg && calledOff;
    await this.#record({
      type: "context:handoff:start",
      agentName: this.#job.agent,
      jobId: this.#job.id,
      oldSessionId: from.session,
      usagePercent: figures.window === 0 ? 0 : figures.tokens / figures.window,
      inputTokens: figures.tokens,
      contextWindow: figures.window,
      trigger: from.trigger,
      handoffNumber: number,
    });
    const next = halt ? undefined : sessions.warm();
    const stage = await this.#make(from, { number, figures, startedAt, calledOff: calledOff.signal });
    if (stage) return this.#goOn(sessions, from, stage, next);
    const old = from.live;
    if (old) await sessions.end(old, from.trigger === "overflow" ? "out-of-context" : "handoff");
    if (halt) return this.#pause(halt.code, halt.message);
    const stored = this.#job.handoffs.at(-1);
    if (!stored || !next) throw new Error("the handoff was not stored");
    return this.#continueFrom(sessions, stored, next);
  }

  /** Makes the handoff, or says at which stage it was called off. */
  async #make(
    from: HandoffFrom,
    {
      calledOff,
      ...begun
    }: { number: number; figures: ContextFigures; startedAt: Date; calledOff: AbortSignal },
  ): Promise<"background" | "writing" | undefined> {
    const signal = AbortSignal.any([this.#signal, calledOff]);
    const { session, answers: live, trigger, focus } = from;
    let stage: "background" | "writing" = "background";
    try {
      const grace = this.#config.session.backgroundGraceMs;
      const background = live && from.background ? await letBackgroundFinish(live, grace, signal) : [];
      if (background.length > 0) this.#append({ type: "background:left", session, tasks: background });
      signal.throwIfAborted();
      stage = "writing";
      const parts = { ...begun, session, facts: this.#facts.facts(), trigger, background };
      const asked = { ...(focus && { focus }), ...(live && { answers: live }) };
      await makeHandoff(this.#handoverContext(signal), { ...parts, ...asked });
      return undefined;
    } catch (error) {
      if (calledOff.aborted && !this.#signal.aborted) return stage;
      throw error;
    } finally {
      this.#handoff = undefined;
    }
  }

  /** The session goes on where it was, as if nobody had asked it to hand over. */
  async #goOn(
    sessions: Sessions,
    { leg, session }: HandoffFrom,
    stage: "background" | "writing",
    unused: LiveSession | undefined,
  ): Promise<Leg | undefined> {
    if (!leg) return undefined;
    if (unused) await sessions.drop(unused);
    if (stage === "writing") await leg.interrupt();
    this.#append({ type: "handoff:cancelled", session, stage });
    leg.postpone();
    await sessions.tell(leg.live, { kind: "retry", text: calledOffPrompt(), verbatim: true });
    return leg;
  }

  #requested(by: "manual" | "agent", focus?: string): { ok: boolean; text: string } {
    const answer = this.#leg?.requestHandoff(by, focus) ?? { ok: false, text: "Nothing to hand off yet" };
    if (!answer.ok) this.#append({ type: "handoff:refused", message: answer.text });
    return answer;
  }

  #callOff(): boolean {
    if (this.#handoff) this.#handoff.abort(new HandoffCalledOff());
    else if (this.#leg?.callOff()) {
      this.#append({ type: "handoff:cancelled", session: this.#leg.live.id, stage: "waiting" });
    } else return false;
    return true;
  }

  /** Why no session may follow this handoff, if so. It is written all the same. */
  #haltAfterHandoff(session: string): { code: PauseCode; message: string } | undefined {
    const job = this.#job;
    const turns = job.sessions.find(({ id }) => id === session)?.turns ?? 0;
    const verdict = job.handoffs.length > 0 ? thrash({ at: "handoff", turnsSinceLast: turns }) : undefined;
    if (verdict?.thrash) return { code: "thrash", message: verdict.message };
    const { maxHandoffsPerJob } = this.#config.session;
    if (!this.#config.handoff.autoContinue) {
      return {
        code: "handed_off",
        message: "The handoff is written, and handoff.auto_continue_cli is false.",
      };
    }
    if (job.handoffs.length - job.allowance.handoffs < maxHandoffsPerJob) return undefined;
    return {
      code: "max_handoffs",
      message: `The job has used its ${maxHandoffsPerJob} handoffs (session.max_handoffs_per_job). The last one is written.`,
    };
  }

  /** Begins with a document that may be by another tool, or edited by hand: its head says what it can. */
  async #beginFrom(sessions: Sessions, path: string): Promise<Leg> {
    const live = sessions.warm();
    const found = await findDocument(path);
    const document = await readFile(found, "utf8");
    const { head, account } = parseDocument(document);
    const text = continuationPrompt({
      number: head.number ?? 1,
      document,
      documentPath: found,
      previous: head.previous ?? null,
      request: this.#job.prompt,
      ledger: account.progress.done,
      previousSession: head.session ?? null,
      transcript: head.transcript ?? null,
    });
    sessions.begin(live, "continuation");
    await sessions.tell(live, { kind: "continuation", text, verbatim: true });
    return this.#newLeg(live, true);
  }

  async #continueFrom(sessions: Sessions, handoff: HandoffRecord, live: LiveSession): Promise<Leg> {
    const { fromSession, documentPath, number } = handoff;
    const [document, transcript] = await Promise.all([
      readFile(documentPath, "utf8"),
      this.#agent.findTranscript({ sessionId: fromSession, env: this.#env }),
    ]);
    sessions.begin(live, "continuation", {
      type: "context:handoff:complete",
      agentName: this.#job.agent,
      jobId: this.#job.id,
      oldSessionId: fromSession,
      newSessionId: live.id,
      handoffNumber: number,
    });
    const { head, account } = parseDocument(document);
    const text = continuationPrompt({
      number,
      document,
      documentPath,
      previous: head.previous ?? null,
      request: this.#job.prompt,
      ledger: account.progress.done,
      previousSession: fromSession,
      transcript: transcript ?? null,
    });
    await sessions.tell(live, { kind: "continuation", text, verbatim: true });
    return this.#newLeg(live, true);
  }

  async #waitForLimit(
    sessions: Sessions,
    leg: Leg,
    limit: Extract<LegEnd, { kind: "limited" }>,
  ): Promise<Leg | undefined> {
    const { onLimit, retryBackoffMs } = this.#config.session;
    const now = this.#now().getTime();
    this.#troubles++;
    const until = Math.max(limit.resetsAt ?? 0, now + backoffMs(retryBackoffMs, this.#troubles));
    if (onLimit === "pause") {
      await sessions.end(leg.live, "limited", limit.message);
      const reset = limit.resetsAt ? ` It resets at ${new Date(limit.resetsAt).toISOString()}.` : "";
      return this.#pause("usage_limit", `${limit.message}${reset}`);
    }
    await this.#record({ type: "limit:waiting", session: leg.live.id, until, message: limit.message });
    await sleep(until - now, undefined, { signal: this.#signal });
    this.#append({ type: "limit:over", session: leg.live.id });
    await sessions.tell(leg.live, { kind: "retry", text: goOnPrompt(), verbatim: true });
    return leg;
  }

  async #tryAgain(
    sessions: Sessions,
    leg: Leg,
    trouble: Extract<LegEnd, { kind: "trouble" }>,
  ): Promise<Leg | undefined> {
    const { maxRetries, retryBackoffMs } = this.#config.session;
    const { live } = leg;
    this.#troubles++;
    if (this.#troubles > maxRetries) {
      await sessions.end(live, "failed", trouble.message);
      const times = maxRetries === 1 ? "once" : `${maxRetries} times`;
      const tried = maxRetries === 0 ? "" : ` Tried again ${times}, without success.`;
      return this.#pause(trouble.code, `${trouble.message}${tried}`);
    }
    const delayMs = backoffMs(retryBackoffMs, this.#troubles);
    const { message } = trouble;
    this.#append({
      type: "retry",
      session: live.id,
      number: this.#troubles,
      of: maxRetries,
      delayMs,
      message,
    });
    if (!trouble.alive) await sessions.drop(live);
    await sleep(delayMs, undefined, { signal: this.#signal });
    if (trouble.alive) {
      await sessions.tell(live, { kind: "retry", text: goOnPrompt(), verbatim: true });
      return leg;
    }
    return this.#firstLeg(sessions);
  }

  async #pause(code: PauseCode, message: string): Promise<undefined> {
    await this.#record({ type: "job:paused", code, message });
  }

  /** Ends the agent first, so that what is then written about the job is its last word. */
  async #stopped(error: unknown): Promise<void> {
    const reason = this.#signal.aborted ? this.#signal.reason : error;
    if (reason instanceof JobCancelled) {
      await this.#sessions?.endAll("cancelled");
      await this.#record({ type: "job:cancelled", message: reason.message });
    } else if (reason instanceof JobInterrupted) {
      await this.#sessions?.endAll("interrupted");
      await this.#record({ type: "job:interrupted", message: reason.message });
    } else {
      await this.#sessions?.endAll("failed");
      if (this.#journal.lost.aborted) throw reason;
      const message = reason instanceof Error ? reason.message : String(reason);
      await this.#record({ type: "job:failed", error: message });
    }
  }

  #newLeg(live: LiveSession, continues: boolean): Leg {
    live.desk.onRequest((reason) => this.#requested("agent", reason));
    return new Leg(live, continues, {
      config: this.#config,
      job: () => this.#job,
      append: this.#append,
      now: this.#now,
      signal: this.#signal,
    });
  }

  #handoverContext(signal: AbortSignal): HandoverContext {
    return {
      agent: this.#agent,
      config: this.#config,
      cwd: this.#cwd,
      env: this.#env,
      job: () => this.#job,
      append: this.#append,
      record: this.#record,
      redact: this.#redact,
      now: this.#now,
      signal,
      onStoring: () => {
        this.#handoff = undefined;
      },
    };
  }
}

/** Where a handoff comes from: a live session, or only what is left of one. */
interface HandoffFrom {
  session: string;
  trigger: HandoffTrigger;
  focus?: string;
  /** The work that goes on if the handoff is called off. */
  leg?: Leg;
  live?: LiveSession;
  /** The session that can still be asked for its account. */
  answers?: LiveSession;
  /** The session has worked, so something of it may run in the background. */
  background?: boolean;
}
