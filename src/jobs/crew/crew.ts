import type { Agent } from "../../agents/agent.ts";
import type { AgentConfig } from "../../config/config.ts";
import type { JobEvent, SessionEnd } from "../../job/events.ts";
import { agentNow, type Job } from "../../job/job.ts";
import type { JobAtWork } from "../run/phases.ts";
import { agentToReturnTo, type Choice, freeAgent } from "./next-agent.ts";

/** An agent that can run a job. */
export interface Runner {
  config: AgentConfig;
  agent: Agent;
  /** The whole environment of its program. */
  env: Record<string, string>;
}

interface CrewOptions {
  job: () => Job;
  /** The job's own agent first, then who stands in for it, in their order. */
  runners: readonly [Runner, ...Runner[]];
  /** Has another agent of the configuration ready. Rejects with what is in its way. */
  join?: ((name: string) => Promise<Runner>) | undefined;
  /** What the job is while this agent runs it. */
  atWork: (runner: Runner) => JobAtWork;
  now: () => Date;
}

/** All agents that can run a job, of which one does. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #order: readonly string[];
  readonly #works = new Map<string, JobAtWork>();

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#order = options.runners.map(({ config }) => config.name);
  }

  /** What holds for the job, whoever runs it. */
  get #session(): AgentConfig["session"] {
    return this.#options.runners[0].config.session;
  }

  get choice(): Choice {
    const { out, ...job } = this.#options.job();
    return { order: this.#order, current: agentNow(job), out, now: this.#options.now().getTime() };
  }

  /** The job with this agent, where that is at hand. */
  of(name: string): JobAtWork | undefined {
    const known = this.#works.get(name);
    const runner = known ? undefined : this.#options.runners.find(({ config }) => config.name === name);
    return known ?? (runner && this.#with(runner));
  }

  #with(runner: Runner): JobAtWork {
    const work = this.#options.atWork(runner);
    this.#works.set(runner.config.name, work);
    return work;
  }

  /** The job with the agent that runs it now. */
  current(): JobAtWork {
    const name = agentNow(this.#options.job());
    const work = this.of(name);
    if (!work) throw new Error(`the agent ${name} runs this job and is not at hand`);
    return work;
  }

  /** The same with any agent of the configuration. Rejects where it cannot run. */
  async join(name: string): Promise<JobAtWork> {
    const known = this.of(name);
    if (known) return known;
    const { join } = this.#options;
    if (!join) throw new Error(`there is no agent named "${name}" for this job`);
    return this.#with(await join(name));
  }

  /** The agent that had a session. Undefined where it is not configured any more. */
  whose(session: string): JobAtWork | undefined {
    const job = this.#options.job();
    const known = job.sessions.find(({ id }) => id === session);
    return this.of(known?.agent ?? job.agent);
  }

  async transcriptOf(session: string): Promise<string | undefined> {
    const work = this.whose(session);
    return work?.agent.findTranscript({ sessionId: session, env: work.env });
  }

  /** Who has the job back at the next handoff, if somebody does, as it goes on record. */
  return(): Extract<JobEvent, { type: "agent:switched" }> | undefined {
    const { runsOn } = this.#options.job();
    const { choice } = this;
    if (!this.#session.switchBack) return undefined;
    const to = agentToReturnTo(choice, runsOn);
    if (to === undefined) return undefined;
    return {
      type: "agent:switched",
      from: choice.current,
      to,
      reason: "reset",
      message: `${to} can work again, and has the job back (session.switch_back).`,
    };
  }

  /** Trouble is near: starts the program of who would take over, which takes the longest. */
  async standBy(): Promise<void> {
    const next = this.#session.onLimit === "switch" ? freeAgent(this.choice) : undefined;
    // If it cannot be started, that is told when its turn comes.
    if (next !== undefined)
      await this.of(next)
        ?.sessions.startAhead()
        .catch(() => {});
  }

  async endAll(reason: SessionEnd): Promise<void> {
    await Promise.all([...this.#works.values()].map(({ sessions }) => sessions.endAll(reason)));
  }

  /** Ends what was started ahead and never needed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#works.values()].map(({ sessions }) => sessions.dropUnused()));
  }
}
