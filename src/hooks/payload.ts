import type { HookEvent } from "../config/hook-config.ts";

/** What happens to a job as a whole. */
export type JobHookEvent =
  | "before_run"
  | Exclude<HookEvent, "context_threshold" | "session_start" | "handoff" | "missed">;

interface ContextInput {
  inputTokens: number;
  contextWindow: number;
  model: string;
}

export interface SessionInput {
  sessionId: string;
  agent: string;
  /** Of a job's session only. */
  jobId?: string;
  /** The folder that the agent is configured for: of a worktree job, the root of the repository. */
  root: string;
  /** Of a worktree job only. */
  worktree?: string;
  branch?: string;
}

interface ContextPart {
  input_tokens: number;
  context_window: number;
  usage_percent: number;
  remaining_percent: number;
  model_name: string;
}

interface SessionPart {
  session_id: string;
  agent_name: string;
  job_id?: string;
  working_directory: string;
  worktree_path?: string;
  branch_name?: string;
}

/** `warning`: only for notices, where nothing is to be decided. */
export type ThresholdTrigger = "threshold" | "forecast" | "manual" | "warning";

export interface ContextThresholdPayload {
  hook_event_name: "context_threshold";
  trigger: ThresholdTrigger;
  context: ContextPart;
  session: SessionPart;
  original_prompt: string;
}

export function contextThresholdPayload(input: {
  trigger: ThresholdTrigger;
  context: ContextInput;
  session: SessionInput;
  prompt: string;
}): ContextThresholdPayload {
  return {
    hook_event_name: "context_threshold",
    trigger: input.trigger,
    context: contextPart(input.context),
    session: sessionPart(input.session),
    original_prompt: input.prompt,
  };
}

interface SessionStartPayload {
  hook_event_name: "session_start";
  session: SessionPart & {
    is_continuation: boolean;
    previous_session_id?: string;
    handoff_count: number;
    document_path?: string;
  };
  prompt: string;
}

/** `continues`: the handoff that the session goes on from, with its number within the job. */
export function sessionStartPayload(input: {
  session: SessionInput;
  prompt: string;
  continues?: { handoff: number; previousSessionId?: string; documentPath?: string };
}): SessionStartPayload {
  const { session, continues } = input;
  return {
    hook_event_name: "session_start",
    session: {
      ...sessionPart(session),
      // Hooks look for files of the job where the agent works, not where the repository is.
      working_directory: session.worktree ?? session.root,
      is_continuation: continues !== undefined,
      ...(continues?.previousSessionId !== undefined && {
        previous_session_id: continues.previousSessionId,
      }),
      handoff_count: continues?.handoff ?? 0,
      ...(continues?.documentPath !== undefined && { document_path: continues.documentPath }),
    },
    prompt: input.prompt,
  };
}

export interface HandoffPayload {
  hook_event_name: "handoff";
  handoff: {
    number: number;
    trigger: string;
    outcome: string;
    document_path: string;
    previous_session_id: string;
  };
  session: SessionPart;
  context?: ContextPart;
}

/** `session` is the one that handed off. */
export function handoffPayload(input: {
  handoff: { number: number; trigger: string; outcome: string; documentPath: string };
  session: SessionInput;
  context?: ContextInput;
}): HandoffPayload {
  const { number, trigger, outcome, documentPath } = input.handoff;
  return {
    hook_event_name: "handoff",
    handoff: {
      number,
      trigger,
      outcome,
      document_path: documentPath,
      previous_session_id: input.session.sessionId,
    },
    session: sessionPart(input.session),
    ...(input.context && { context: contextPart(input.context) }),
  };
}

export interface JobInput {
  id: string;
  agent: string;
  prompt: string;
  status: string;
  /** In ISO 8601, as the journal has them. */
  startedAt: string;
  completedAt?: string;
  /** For how long it was at work: pauses, and a clock that was set, are no time. */
  durationMs?: number;
  /** Null where it is not known. */
  costUsd: number | null;
  costIsEstimate: boolean;
  simulatedUsd?: number;
  turns: number;
  sessions: number;
  handoffs: number;
  branch?: string;
  pullRequest?: string;
  workItem?: { id: string; title?: string };
}

interface ResultInput {
  success: boolean;
  output: string;
  error?: string;
}

export interface JobPayload {
  hook_event_name: JobHookEvent;
  event: JobHookEvent;
  job: {
    id: string;
    agent_name: string;
    prompt: string;
    status: string;
    started_at: string;
    completed_at?: string;
    duration_ms?: number;
    cost_usd: number | null;
    cost_estimated: boolean;
    simulated_cost_usd?: number;
    turns: number;
    sessions: number;
    handoffs: number;
    branch?: string;
    pull_request?: string;
    work_item?: { id: string; title?: string };
  };
  /** Not before the job has run. */
  result?: ResultInput;
  agent: { id: string; name: string };
  metadata: Record<string, unknown>;
}

export function jobPayload(input: {
  event: JobHookEvent;
  job: JobInput;
  result?: ResultInput;
  metadata?: Record<string, unknown>;
}): JobPayload {
  const { event, job, result } = input;
  return {
    hook_event_name: event,
    event,
    job: {
      id: job.id,
      agent_name: job.agent,
      prompt: job.prompt,
      status: job.status,
      started_at: job.startedAt,
      ...(job.completedAt !== undefined && {
        completed_at: job.completedAt,
        duration_ms: job.durationMs ?? 0,
      }),
      cost_usd: job.costUsd,
      cost_estimated: job.costIsEstimate,
      ...(job.simulatedUsd !== undefined && { simulated_cost_usd: job.simulatedUsd }),
      turns: job.turns,
      sessions: job.sessions,
      handoffs: job.handoffs,
      ...(job.branch !== undefined && { branch: job.branch }),
      ...(job.pullRequest !== undefined && { pull_request: job.pullRequest }),
      ...(job.workItem && { work_item: job.workItem }),
    },
    ...(result && { result }),
    agent: { id: job.agent, name: job.agent },
    metadata: input.metadata ?? {},
  };
}

/** A schedule of an agent, whose due times came to nothing. */
export interface MissedPayload {
  hook_event_name: "missed";
  event: "missed";
  schedule: { name: string; agent_name: string; due: string; count: number; reason: string };
  agent: { id: string; name: string };
}

export function missedPayload(input: {
  agent: string;
  schedule: string;
  due: string;
  count: number;
  reason: string;
}): MissedPayload {
  const { agent, schedule: name, due, count, reason } = input;
  return {
    hook_event_name: "missed",
    event: "missed",
    schedule: { name, agent_name: agent, due, count, reason },
    agent: { id: agent, name: agent },
  };
}

/** Of a notice: the command that answers it, and what else is told with it, where several were held back. */
interface NoticePart {
  answer_with?: string;
  notices?: { event: string; title: string; text: string; answer_with: string; at: string }[];
}

export type HookPayload = (
  | ContextThresholdPayload
  | SessionStartPayload
  | HandoffPayload
  | JobPayload
  | MissedPayload
) &
  NoticePart;

function contextPart({ inputTokens, contextWindow, model }: ContextInput): ContextPart {
  // Two figures that people add up: what remains is what is not used, after rounding too.
  const usage = rounded(Math.min(1, inputTokens / (contextWindow || Number.POSITIVE_INFINITY)));
  return {
    input_tokens: inputTokens,
    context_window: contextWindow,
    usage_percent: usage,
    remaining_percent: rounded(1 - usage),
    model_name: model,
  };
}

function sessionPart({ sessionId, agent, jobId, root, worktree, branch }: SessionInput): SessionPart {
  return {
    session_id: sessionId,
    agent_name: agent,
    ...(jobId !== undefined && { job_id: jobId }),
    working_directory: root,
    ...(worktree !== undefined && { worktree_path: worktree }),
    ...(branch !== undefined && { branch_name: branch }),
  };
}

/** So that people read 0.08, not 0.07999999999999996. */
function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
