import type { TokenUsage } from "../agents/events.ts";
import type { JobEvent, JobEventType, JournalEvent } from "./events.ts";
import type { Job, SessionRecord } from "./job.ts";

/** What the models of an agent came to in a quarter of an hour, or what one event adds to that. */
export interface Spend extends Amounts {
  /** When it began, in UTC: every time zone's days begin with one. */
  quarter: string;
  agent: string;
  model: string;
}

export interface Amounts {
  /** With what was simulated. Less than nothing where a program's own figure is lower than what was estimated before it. */
  costUsd: number;
  simulatedUsd: number;
  /** The part of `costUsd` that no program has told. */
  estimatedUsd: number;
  /** Sessions of which nobody knows the cost. */
  unknown: number;
  /** Of models, to the agent and to its subagents. */
  responses: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** The events by which the cost of a job, or whose it is, changes. */
export const SPENDING_TYPES: readonly JobEventType[] = [
  "job:created",
  "session:starting",
  "session:started",
  "session:known",
  "response",
  "subagent:response",
  "cost",
  "journal:compacted",
];

const UNKNOWN_MODEL = "unknown";
const QUARTER_MS = 15 * 60_000;

export function quarterOf(at: Date): string {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS).toISOString();
}

/** What an event adds, by the job before and after it: the sum over its events is what the job has cost. */
export function spendOf(before: Job, after: Job, event: JournalEvent): Spend[] {
  if (!SPENDING_TYPES.includes(event.type)) return [];
  // What was compacted had happened before.
  const at = event.type === "journal:compacted" ? event.summary.updatedAt : event.at;
  const quarter = quarterOf(new Date(at));
  return after.sessions.flatMap((session): Spend[] => {
    const earlier = before.sessions.find(({ id }) => id === session.id);
    if (earlier === session) return [];
    const heard = isAnswerIn(event, session) ? event : undefined;
    const cost = difference(costsOf(session), earlier && costsOf(earlier));
    const used = heard ? { responses: 1, ...tokensOf(heard.usage) } : NO_TOKENS;
    if (!heard && isNothing(cost)) return [];
    const model = heard?.model ?? session.model ?? UNKNOWN_MODEL;
    return [{ quarter, agent: session.agent ?? after.agent, model, ...cost, ...used }];
  });
}

type Answer = Extract<JobEvent, { type: "response" | "subagent:response" }>;

function isAnswerIn(event: JobEvent, { id }: SessionRecord): event is Answer {
  return (event.type === "response" || event.type === "subagent:response") && event.session === id;
}

type Costs = Pick<Amounts, "costUsd" | "simulatedUsd" | "estimatedUsd" | "unknown">;

function costsOf({ costUsd, costBasis, simulatedUsd = 0 }: SessionRecord): Costs {
  return {
    costUsd,
    simulatedUsd,
    estimatedUsd: costBasis === "told" ? 0 : costUsd,
    unknown: costBasis === "unknown" ? 1 : 0,
  };
}

function difference(now: Costs, before: Costs | undefined): Costs {
  if (!before) return now;
  return {
    costUsd: now.costUsd - before.costUsd,
    simulatedUsd: now.simulatedUsd - before.simulatedUsd,
    estimatedUsd: now.estimatedUsd - before.estimatedUsd,
    unknown: now.unknown - before.unknown,
  };
}

const isNothing = (costs: Costs) => Object.values(costs).every((figure) => figure === 0);

const NO_TOKENS = { responses: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function tokensOf(usage: TokenUsage | undefined) {
  if (!usage) return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const { input, output, cacheRead, cacheWrite } = usage;
  return { input, output, cacheRead, cacheWrite };
}

export const NOTHING: Amounts = { costUsd: 0, simulatedUsd: 0, estimatedUsd: 0, unknown: 0, ...NO_TOKENS };

export function sum(a: Amounts, b: Amounts): Amounts {
  return {
    costUsd: a.costUsd + b.costUsd,
    simulatedUsd: a.simulatedUsd + b.simulatedUsd,
    estimatedUsd: a.estimatedUsd + b.estimatedUsd,
    unknown: a.unknown + b.unknown,
    responses: a.responses + b.responses,
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** One for each quarter of an hour, agent and model. */
export function together(spends: readonly Spend[]): Spend[] {
  const all = new Map<string, Spend>();
  for (const spend of spends) {
    const { quarter, agent, model } = spend;
    const key = JSON.stringify([quarter, agent, model]);
    const before = all.get(key);
    all.set(key, before ? { quarter, agent, model, ...sum(before, spend) } : spend);
  }
  return [...all.values()];
}
