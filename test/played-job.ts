import type { AgentConfig } from "../src/config/config.ts";
import { configWithoutFile } from "../src/config/without-file.ts";
import { AccountInbox } from "../src/handoff/account-inbox.ts";
import { FactCollector } from "../src/handoff/collect.ts";
import { noFacts } from "../src/handoff/facts.ts";
import type { JobEvent, JobEventType } from "../src/job/events.ts";
import { apply } from "../src/job/fold.ts";
import { emptyJob, type Job } from "../src/job/job.ts";
import { spentBy } from "../src/job/limits.ts";
import { Crew } from "../src/jobs/crew/crew.ts";
import { JobHooks } from "../src/jobs/hooks/job-hooks.ts";
import { Sessions } from "../src/jobs/run/job-sessions.ts";
import { Leg, type LegContext } from "../src/jobs/run/leg.ts";
import type { JobAtWork } from "../src/jobs/run/phases.ts";
import { sessionSpec } from "../src/jobs/run/spec.ts";
import { sessionMark } from "../src/processes/marks.ts";
import { redactor } from "../src/secrets/redact.ts";
import { PlayedAgent, type PlayedSession } from "./played-session.ts";

type Section = "session" | "handoff" | "hooks" | "limits" | "workspace";
export type Changes = { [Key in Section]?: Partial<AgentConfig[Key]> } & Partial<
  Pick<AgentConfig, "runtime" | "budgets">
>;

/** An agent that hands off at 100,000 tokens of its 200,000, and tries again without a wait that a test would feel. */
export function configIn(folder: string, changes: Changes = {}): AgentConfig {
  const [agent] = configWithoutFile(folder).agents;
  if (!agent) throw new Error("no agent");
  const quick = { threshold: { kind: "tokens" as const, tokens: 100_000 }, retryBackoffMs: 1 };
  return {
    ...agent,
    ...(changes.runtime && { runtime: changes.runtime }),
    ...(changes.budgets && { budgets: changes.budgets }),
    session: { ...agent.session, ...quick, ...changes.session },
    handoff: { ...agent.handoff, ...changes.handoff },
    hooks: { ...agent.hooks, ...changes.hooks },
    limits: { ...agent.limits, ...changes.limits },
    workspace: { ...agent.workspace, ...changes.workspace },
  };
}

export interface PlayedJob {
  context: JobAtWork;
  agent: PlayedAgent;
  /** The first one, which waits to be told something. */
  session: PlayedSession;
  /** All that is on record. */
  events: JobEvent[];
  /** Ends the job from outside. */
  stop: AbortController;
  job(): Job;
  append(event: JobEvent): void;
}

export interface Setting {
  /** Where it works, and its documents go. */
  folder?: string;
  config?: Changes;
  agent?: PlayedAgent;
  isAttended?: boolean;
  now?: () => Date;
  activity?: JobAtWork["activity"];
  lifeSigns?: LegContext["lifeSigns"];
}

export const JOB = "job-2026-01-01-abc123";
export const PROMPT = "Write the notes.";

/** A running job whose journal is a list. */
export function playedJob({
  folder = "/nowhere",
  config: changes,
  agent = new PlayedAgent(),
  isAttended = false,
  now = () => new Date(),
  activity = async () => undefined,
  lifeSigns = () => async () => ({}),
}: Setting = {}): PlayedJob {
  const config = configIn(folder, changes);
  const events: JobEvent[] = [];
  const stop = new AbortController();
  let job = emptyJob(JOB);
  const append = (event: JobEvent) => {
    events.push(event);
    job = apply(job, { seq: job.seq + 1, at: now().toISOString(), job: JOB, attempt: 1, ...event });
  };
  append({ type: "job:created", agent: config.name, prompt: PROMPT, agentConfig: {} });
  append({ type: "job:started", pid: 1, marker: "m" });
  const shared = {
    agent,
    config,
    cwd: folder,
    env: {},
    facts: new FactCollector(folder, noFacts(PROMPT)),
    job: () => job,
    redact: redactor({}),
    append,
    record: async (event: JobEvent) => append(event),
    signal: stop.signal,
  };
  const inbox = new AccountInbox();
  const repository = { reads: true, leftOut: [], instructions: "" };
  const session = agent.start(sessionSpec(shared, { sessionId: "first", resume: false, inbox, repository }));
  const hooks = new JobHooks({
    config,
    redact: (value) => value,
    env: { PATH: process.env.PATH ?? "" },
    store: "",
    job: shared.job,
    append,
    now,
  });
  const crew = new Crew({
    job: shared.job,
    runners: [{ config, agent, env: {} }],
    atWork: () => context,
    now,
  });
  const context: JobAtWork = {
    ...shared,
    crew,
    hooks,
    sessions: new Sessions({
      ...shared,
      appendHeard: append,
      recordedCalls: async () => [],
      prestarted: { session, mark: sessionMark(session.id), inbox, leftOut: [] },
    }),
    limits: { reached: async () => {}, turn: async () => undefined },
    messages: NO_MESSAGES,
    asks: { look: async () => {}, withdraw() {} },
    isAttended,
    now,
    activity,
    capReached: async () => undefined,
    newLeg: (live, continues) => {
      const { asks: _, ...rest } = context;
      return new Leg(live, continues, { ...rest, lifeSigns, spent: () => spentBy(job, now()) });
    },
  };
  return { context, agent, session, events, stop, job: () => job, append };
}

const NO_MESSAGES: JobAtWork["messages"] = {
  isDue: () => false,
  look: async () => {},
  take: async () => [],
  begin: async () => {},
  unheard: async () => [],
  putBack: async () => {},
  turnTo: async () => {},
  close: async () => true,
};

/** The work of a new session that has just been told the user's request. */
export async function firstLeg({ context }: PlayedJob): Promise<Leg> {
  const live = await context.sessions.warm();
  context.sessions.begin(live, "fresh");
  await context.sessions.tell(live, { kind: "request", text: PROMPT, verbatim: false });
  return context.newLeg(live, false);
}

export const typesOf = (events: readonly JobEvent[]): JobEventType[] => events.map(({ type }) => type);

/** The events of these types, in their order. */
export function only<T extends JobEventType>(
  events: readonly JobEvent[],
  ...types: T[]
): Extract<JobEvent, { type: T }>[] {
  return events.filter((event): event is Extract<JobEvent, { type: T }> =>
    types.some((type) => type === event.type),
  );
}
