import type { Agent } from "../agents/agent.ts";
import { startGuard } from "../agents/guard.ts";
import { ourMark } from "../agents/identity.ts";
import { endMarked, ownerMark } from "../agents/marked.ts";
import type { AgentConfig } from "../config/config.ts";
import { FactCollector } from "../handoff/collect.ts";
import { resumePrompt } from "../handoff/continuation.ts";
import { type Facts, noFacts } from "../handoff/facts.ts";
import { setUpStatic } from "../workspace/static.ts";
import { checkpoint } from "./checkpoints.ts";
import type { JobContext } from "./context.ts";
import type { Control } from "./control.ts";
import { JobCancelled, JobInterrupted } from "./ending.ts";
import type { JobEvent, PauseCode, SessionEnd } from "./events.ts";
import type { Job } from "./job.ts";
import type { Journal } from "./journal.ts";
import { Leg, type LegEnd } from "./leg.ts";
import type { LiveSession } from "./live-session.ts";
import { type HandoffFrom, Passing } from "./passing.ts";
import type { Prestarted } from "./prestart.ts";
import { redactor } from "./redact.ts";
import { Sessions } from "./sessions.ts";
import { jobEnvironment } from "./spec.ts";
import { startOf } from "./start.ts";
import { type AfterTrouble, Trouble } from "./trouble.ts";

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
  readonly #options: RelayOptions;
  readonly #signal: AbortSignal;
  readonly #now: () => Date;
  readonly #env: Record<string, string>;
  readonly #redact: ReturnType<typeof redactor>;
  readonly #append: (event: JobEvent) => void;
  readonly #record: (event: JobEvent) => Promise<void>;
  #context: JobContext | undefined;
  #passing: Passing | undefined;
  #leg: Leg | undefined;

  constructor(options: RelayOptions) {
    const { journal, config, env, signal, now = () => new Date() } = options;
    this.#options = options;
    this.#now = now;
    this.#signal = AbortSignal.any([signal, journal.lost]);
    this.#env = jobEnvironment(env, config, journal.job.id);
    this.#redact = redactor(this.#env);
    this.#append = (event) => journal.append(this.#redact(event));
    this.#record = (event) => journal.record(this.#redact(event));
  }

  get #job(): Job {
    return this.#options.journal.job;
  }

  async run(): Promise<Job> {
    try {
      const context = await this.#takeOver();
      const passing = new Passing(context);
      const trouble = new Trouble(context);
      this.#passing = passing;
      this.#options.control?.attach({
        handOff: (focus) => this.#requested("manual", focus),
        callOff: () => this.#callOff(),
      });
      this.#leg = await this.#firstLeg(context, passing);
      while (this.#leg) this.#leg = await this.#next(context, passing, trouble, this.#leg);
    } catch (error) {
      await this.#stopped(error);
    }
    return this.#job;
  }

  /** Makes sure that nothing of an earlier owner still works in the folder, then makes the job ours. */
  async #takeOver(): Promise<JobContext> {
    startGuard();
    const { agent, config, prestarted } = this.#options;
    const { marker } = this.#job;
    if (marker !== null && marker !== ourMark.value) await endMarked(ownerMark(marker));
    this.#append({ type: "job:started", pid: process.pid, marker: ourMark.value });
    const workspace = await setUpStatic(this.#job.workspace?.path ?? config.workingDirectory);
    if (this.#job.workspace === null) this.#append({ type: "workspace:ready", ...workspace });
    const shared = {
      agent,
      config,
      cwd: workspace.path,
      env: this.#env,
      facts: new FactCollector(workspace.path, await this.#factsSoFar()),
      job: () => this.#job,
      redact: this.#redact,
      append: this.#append,
      record: this.#record,
    };
    this.#context = {
      ...shared,
      sessions: new Sessions({ ...shared, prestarted }),
      now: this.#now,
      signal: this.#signal,
      newLeg: (live, continues) => this.#newLeg(live, continues),
    };
    return this.#context;
  }

  /** Facts are cumulative, also over jobs where one goes on from the document of another. */
  async #factsSoFar(): Promise<Facts> {
    const { journal } = this.#options;
    const known = this.#job.handoffs.length > 0 && (await journal.latest("facts:collected"));
    if (known) return known.facts;
    const created = this.#job.continues && (await journal.latest("job:created"));
    return created?.continues?.facts ?? noFacts(this.#job.prompt);
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
        const live = sessions.warm();
        sessions.begin(live, "fresh");
        await sessions.tell(live, { kind: "request", text: this.#job.prompt, verbatim: false });
        return this.#newLeg(live, false);
      }
      case "document":
        return passing.beginFrom(start.document);
      case "continuation":
        return passing.continueFrom(start.handoff, sessions.warm());
      case "facts": {
        await sessions.collect(start.session.id);
        const lost = { trigger: "resume" as const, why: "the transcript of the session is gone" };
        const full = { trigger: "overflow" as const };
        return this.#handOff(passing, { session: start.session.id, ...(transcript ? full : lost) });
      }
      case "resumed": {
        const live = await sessions.resume(start.session.id);
        sessions.begin(live, "resumed");
        if (start.handOff) {
          return this.#handOff(passing, { session: live.id, live, trigger: "resume", answers: live });
        }
        await sessions.tell(live, { kind: "resume", text: resumePrompt(), verbatim: true });
        return this.#newLeg(live, false);
      }
    }
  }

  /** The work of one leg, and what follows it. Undefined when the job is over. */
  async #next(context: JobContext, passing: Passing, trouble: Trouble, leg: Leg): Promise<Leg | undefined> {
    const { sessions } = context;
    const { live } = leg;
    const end: LegEnd = await leg.run();
    if (leg.responded) trouble.over();
    switch (end.kind) {
      case "completed":
        await sessions.end(live, "completed");
        await this.#record({ type: "job:completed", result: end.text });
        return undefined;
      case "hand-off": {
        const { trigger, focus } = end;
        const from = { session: live.id, live, answers: live, leg, trigger, background: true };
        return this.#handOff(passing, { ...from, ...(focus && { focus }) });
      }
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
        await this.#record({ type: "job:failed", error: end.message });
        return undefined;
    }
  }

  async #handOff(passing: Passing, from: HandoffFrom): Promise<Leg | undefined> {
    const passed = await passing.handOff(from);
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
      signal: this.#signal,
    });
  }

  #requested(by: "manual" | "agent", focus?: string): { ok: boolean; text: string } {
    const answer = this.#leg?.requestHandoff(by, focus) ?? { ok: false, text: "Nothing to hand off yet" };
    if (!answer.ok) this.#append({ type: "handoff:refused", message: answer.text });
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
    const [ended, last] = lastWord(reason);
    await this.#context?.sessions.endAll(ended);
    if (journal.lost.aborted) throw reason;
    if (this.#context) await checkpoint(this.#context, ended);
    await this.#record(last);
  }
}

function lastWord(reason: unknown): [SessionEnd, JobEvent] {
  const message = reason instanceof Error ? reason.message : String(reason);
  if (reason instanceof JobCancelled) return ["cancelled", { type: "job:cancelled", message }];
  if (reason instanceof JobInterrupted) return ["interrupted", { type: "job:interrupted", message }];
  return ["failed", { type: "job:failed", error: message }];
}
