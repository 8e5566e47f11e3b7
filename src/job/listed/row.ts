import { oneLine } from "../../util/printable.ts";
import { costFigure } from "../cost.ts";
import { agentNow, isAtWork, type Job, type JobStatus } from "../job.ts";
import { CHAT_SERVICES, headline } from "../status-words.ts";
import { windowUse } from "../window.ts";
import { handoffMark, turnsToHandoff } from "./mark.ts";

/** A job in a list of many: its keys are a promise to users. With its project it takes at most a kilobyte as JSON, whatever is in the job. */
export interface JobRow {
  id: string;
  agent: string;
  /** Where another agent took over. */
  runsOn?: string;
  status: JobStatus;
  /** Why it is paused. */
  pauseCode?: string;
  /** The first line of its request. */
  title: string;
  source: { kind: "person" | "schedule" | "item" | "session" | "conversation"; name?: string };
  epic?: string;
  seq: number;
  attempt: number;
  createdAt: string;
  updatedAt: string;
  finishedAt?: string;
  model?: string;
  sessions: number;
  handoffs: number;
  turns: number;
  /** Of the session that is at work. `mark`: where it hands off. */
  context?: { tokens: number; window: number; mark: number; estimated?: boolean; turnsLeft?: number };
  /** The newest of the tools at work. */
  tool?: { name: string; summary: string; since: string };
  /** Until when a usage limit holds it up. */
  waitsUntil?: string;
  /** Why it failed, is paused or was interrupted. */
  error?: string;
  /** Null: not known. */
  costUsd: number | null;
  costEstimated?: boolean;
  /** What nobody paid: it ran on the simulator. */
  simulatedCostUsd?: number;
  costLimitUsd?: number;
  branch?: string;
  pullRequest?: string;
  denied?: number;
}

/** The key of the project is added where there are several. */
const MOST_BYTES = 960;
const LENGTHS = [
  { title: 160, name: 64, summary: 80, error: 160, place: 96 },
  { title: 80, name: 40, summary: 40, error: 80, place: 64 },
  { title: 40, name: 24, summary: 16, error: 24, place: 32 },
  { title: 12, name: 12, summary: 0, error: 12, place: 12 },
];

export function jobRow(job: Job): JobRow {
  for (const most of LENGTHS) {
    const row = rowWith(job, most);
    if (Buffer.byteLength(JSON.stringify(row)) <= MOST_BYTES) return row;
  }
  throw new Error(`the row of ${job.id} cannot be made to fit`);
}

function rowWith(job: Job, most: (typeof LENGTHS)[number]): JobRow {
  const { id, agent, status, seq, attempt, createdAt, updatedAt, workspace, denied = [] } = job;
  const { costUsd, isEstimate, simulatedUsd } = costFigure(job);
  const short = (text: string, length: number) => {
    const line = oneLine(text).trim();
    return line.length > length ? `${line.slice(0, Math.max(0, length - 1))}…` : line;
  };
  const on = agentNow(job);
  const model = job.sessions.at(-1)?.model;
  const tool = isAtWork(job) ? job.tools.at(-1) : undefined;
  const limit = job.chosen?.maxCostUsd ?? job.agentConfig?.limits?.costUsd;
  return {
    id,
    agent: short(agent, most.name),
    ...(on !== agent && { runsOn: short(on, most.name) }),
    status,
    ...(status === "paused" && job.pauseCode !== null && { pauseCode: job.pauseCode }),
    title: short(headline(job).trim().split("\n", 1)[0] ?? "", most.title),
    source: sourceOf(job, (text) => short(text, most.name)),
    ...(job.epic !== null && { epic: short(job.epic, most.name) }),
    ...{ seq, attempt, createdAt, updatedAt },
    ...(job.finishedAt !== null && { finishedAt: job.finishedAt }),
    ...(model && { model: short(model, most.name) }),
    sessions: job.sessions.length,
    handoffs: job.handoffs.length,
    turns: job.turns,
    ...contextOf(job),
    ...(tool && {
      tool: {
        name: short(tool.name, most.name),
        summary: short(tool.summary, most.summary),
        since: tool.startedAt,
      },
    }),
    ...(status === "waiting" && job.waiting && { waitsUntil: new Date(job.waiting.until).toISOString() }),
    ...(job.error !== null && { error: short(job.error, most.error) }),
    costUsd,
    ...(isEstimate && { costEstimated: true }),
    ...(simulatedUsd !== undefined && { simulatedCostUsd: simulatedUsd }),
    ...(limit !== undefined && { costLimitUsd: limit }),
    ...(workspace?.branch && { branch: short(workspace.branch, most.place) }),
    ...(workspace?.proposal && { pullRequest: short(workspace.proposal, most.place) }),
    ...(denied.length > 0 && { denied: denied.length }),
  };
}

function sourceOf(job: Job, short: (text: string) => string): JobRow["source"] {
  if (job.schedule !== null) return { kind: "schedule", name: short(job.schedule) };
  if (job.workItem !== null) return { kind: "item", name: short(job.workItem.id) };
  if (job.startedBy !== undefined) return { kind: "session", name: short(job.startedBy) };
  if (job.conversation) {
    const { service, by } = job.conversation;
    return { kind: "conversation", name: short(`${by.name} in ${CHAT_SERVICES[service]}`) };
  }
  return { kind: "person" };
}

function contextOf(job: Job): Pick<JobRow, "context"> {
  const { context, agentConfig } = job;
  if (!isAtWork(job) || !context) return {};
  const use = windowUse(context);
  if (!use) return {};
  const config = agentConfig?.session && { session: agentConfig.session };
  const turnsLeft = turnsToHandoff(job, config);
  return {
    context: {
      tokens: use.tokens,
      window: context.window,
      mark: Math.round(handoffMark(job, context, config)),
      ...(use.isEstimate && { estimated: true }),
      ...(turnsLeft !== undefined && { turnsLeft }),
    },
  };
}
