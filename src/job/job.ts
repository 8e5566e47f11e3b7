import type { BackgroundTask, TokenUsage } from "../agents/events.ts";
import type { BoxNetwork, EngineName } from "../config/box-config.ts";
import type { Chosen } from "../config/chosen.ts";
import type { RecordedAgent } from "../config/recordable.ts";
import type { Runtime } from "../config/runtimes/runtimes.ts";
import type { Ways } from "../config/ways.ts";
import type { Pace } from "../context/pace.ts";
import type { HandoffOutcome, HandoffSource, HandoffTrigger } from "../handoff/document.ts";
import type { TodoFact } from "../handoff/facts.ts";
import type { Outcome, WorkItem, WorkspaceRecord } from "../workspace/workspace.ts";
import type { LateAnswer, OpenAsk } from "./asks/asks.ts";
import type { DeniedCall, Permissions } from "./denied.ts";
import type {
  CircleKind,
  ContextFigures,
  ConversationOrigin,
  MessageKind,
  Parent,
  PauseCode,
  SessionEnd,
  SwitchReason,
} from "./events.ts";
import type { RampUp } from "./ramp-up.ts";
import type { TimeSpent } from "./time-split.ts";
import type { Trail } from "./trail.ts";

/** An agent's configuration as it was when the job began. Older jobs have less of it. */
export type RecordedConfig = Partial<RecordedAgent>;

export const JOB_STATUSES = [
  "created",
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "paused",
  "cancelled",
  "interrupted",
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** `told` by the agent's program, `estimated` by list prices, or `unknown`, in whole or in part. */
export type CostBasis = "told" | "estimated" | "unknown";

export interface SessionRecord {
  id: string;
  ordinal: number;
  mode: "fresh" | "continuation" | "resumed";
  /** Missing in jobs of earlier versions: then the job's own agent, and what that ran on. */
  agent?: string;
  runtime?: Runtime;
  model: string | null;
  transcript: string | null;
  contextWindow: number | null;
  /** 0 while no response has said how full the window is. */
  peakTokens: number;
  /** The program did not tell `peakTokens`. */
  peakIsEstimate?: boolean;
  turns: number;
  endReason: SessionEnd | null;
  /** What Baton last said to it; null while it has been told nothing. */
  lastMessage: MessageKind | null;
  costUsd: number;
  costBasis: CostBasis;
  /** The part of `costUsd` from earlier processes of this session: a resumed one counts from 0 again. */
  earlierCostUsd: number;
  earlierCostBasis: CostBasis;
  /** What its program talks to is the simulator. */
  simulated?: boolean;
  /** The parts of `costUsd` and of `earlierCostUsd` that nobody paid. */
  simulatedUsd?: number;
  earlierSimulatedUsd?: number;
}

/** A handoff that has begun and is not stored yet. */
interface PendingHandoff {
  number: number;
  fromSession: string;
  trigger: HandoffTrigger;
  tokens: number;
  contextWindow: number;
  percent: number;
  /** `tokens` and `percent` are an estimate: the program tells nothing. */
  isEstimate?: boolean;
  /** An estimate of what results of tools took on top of `tokens`. */
  pending?: number;
  /** It is written, and waits in the journal because its folder took no more. */
  unstored?: true;
}

export interface SwitchRecord {
  at: string;
  from: string;
  to: string;
  reason: SwitchReason;
  message: string;
  until?: number;
}

export interface HandoffRecord extends Omit<PendingHandoff, "unstored"> {
  /** Null until the next session has taken over. */
  toSession: string | null;
  source: HandoffSource;
  outcome: HandoffOutcome;
  checks: { name: string; ok: boolean }[];
  /** Why the document is not the agent's own. */
  reason: string | null;
  documentPath: string;
  durationMs: number;
  storedAt: string;
  /** Where the document was before it was archived. */
  archivedFrom: string | null;
  /** Missing until the next session has taken over, and where the journal does not tell. */
  rampUp?: RampUp;
}

/** A job, folded from its events. Plain JSON: it is kept beside the events, so that a listing need not read them. */
/** A container as it was made. `limits`: those that were set, by their keys in `docker`. */
export interface ContainerRecord {
  engine: EngineName;
  image?: string;
  network: BoxNetwork;
  limits?: Record<string, number>;
}

export interface Job {
  id: string;
  /** Of the last event. */
  seq: number;
  attempt: number;
  updatedAt: string;
  agent: string;
  status: JobStatus;
  prompt: string;
  configPath: string | null;
  /** As it was when the job began. */
  agentConfig: RecordedConfig | null;
  epic: string | null;
  /** `ways`: of the person's session that it continues. */
  continues: { document: string; recorded?: true; ways?: Ways } | null;
  workItem: WorkItem | null;
  schedule: string | null;
  /** By the user, for this job alone: a resume keeps it. */
  chosen?: Chosen;
  /** While it waits for a slot of the fleet. `from`: what it was before. */
  queued?: { at: string; priority: number; after?: string[]; from: JobStatus };
  /** A person takes part in it, or did. */
  attended?: true;
  /** With people in a chat service: where, and who began it. */
  conversation?: ConversationOrigin;
  /** The session of a person's that started it. */
  startedBy?: string;
  /** The job that it is a retry or a fork of. */
  parent?: Parent;
  /** Somebody wants it to rest at its next boundary. */
  pauseRequested?: boolean;
  /** Since when its agent shows no sign of life; the event that says so. */
  stall?: { seq: number; at: string; quietMs: number; tool?: string } | null;
  /** What it does over and over, the newest last; the events that say so. */
  circles?: {
    seq: number;
    at: string;
    kind: CircleKind;
    what: string;
    times: number;
    /** The event of the first time. Missing in the journals of earlier versions. */
    since?: number;
    /** How many tests failed each time, where that is what is counted. */
    failing?: number[];
  }[];
  /** What its agent last told that one. */
  report?: { status: string; at: string };
  /** What the agent has listed, done and to do. Missing where it has listed nothing. */
  todos?: TodoFact[];
  workspace: WorkspaceRecord | null;
  /** Where its programs run. Null where that is this machine as it is; missing as long as that is not known. */
  container?: ContainerRecord | null;
  /** How many hosts something in its containers tried to reach, and may not. */
  deniedHosts?: number;
  /** The ref of its newest checkpoint. */
  checkpoint: string | null;
  /** The work is over, and this is how; its workspace may not be closed yet. */
  closing: { outcome: Outcome["kind"]; text: string } | null;
  sessions: SessionRecord[];
  /** Who runs it from the next session on, where another agent than its own took over, or that one is back. */
  runsOn?: { agent: string; reason: SwitchReason };
  /** The agents that could not work, by name. `until`: null where only a person can change that. */
  out?: Record<string, { until: number | null; times: number }>;
  /** From one agent to another, oldest first. Missing where there was none. */
  switches?: SwitchRecord[];
  handoffs: HandoffRecord[];
  pendingHandoff: PendingHandoff | null;
  /** What programs said of it. */
  usage: TokenUsage;
  /** How many answers there were of which no program said what they took. Missing where there was none. */
  uncounted?: number;
  /** What is known of it: without what has no price. */
  costUsd: number;
  costBasis: CostBasis;
  /** The part of `costUsd` that nobody paid: it ran on the simulator. */
  simulatedUsd?: number;
  turns: number;
  /** For how long the job was at work, up to `activeSince`. */
  activeMs: number;
  /** Since when it is at work without a break. */
  activeSince: string | null;
  /** Where all of its time went. Missing in jobs of earlier versions. */
  time?: TimeSpent;
  /** What it had used when it was last resumed: the user's limits count from there. */
  allowance: { costUsd: number; turns: number; activeMs: number; handoffs: number };
  /** Every denied call there was. */
  deniedToolCalls: number;
  /** Those that count: no person said no to them, and they were not made later. Missing where there was none. */
  denied?: DeniedCall[];
  /** What waits for a person's answer. */
  asks?: OpenAsk[];
  /** How many there were. */
  asked?: number;
  /** What a person answered, and the call that it is for was not made again yet. */
  lateAnswers?: LateAnswer[];
  /** What a person has allowed for good, of this job alone, as in `allowed_tools`. */
  allowed?: string[];
  /** Of its newest session. Missing in jobs of earlier versions. */
  permissions?: Permissions;
  /** Marks in their environment all processes that the agents of the last owner started, of whatever job. */
  marker: string | null;
  /** The main thread's tools at work; after a crash, those that were. */
  tools: { id: string; name: string; summary: string; startedAt: string }[];
  background: BackgroundTask[];
  /** Null or missing where the journal does not tell what its sessions did, and once it is completed. */
  trail?: Trail | null;
  context: ContextFigures | null;
  /** How its sessions have used their windows. Missing before the first response. */
  pace?: Pace;
  waiting: { until: number; message: string } | null;
  result: string | null;
  /** Why the job is failed, paused or interrupted. */
  error: string | null;
  pauseCode: PauseCode | null;
  createdAt: string;
  finishedAt: string | null;
  /** Its journal was compacted: so many events went, and it can be resumed no more. */
  compacted?: { events: number; at: string };
}

export function emptyJob(id: string): Job {
  return {
    id,
    seq: 0,
    attempt: 0,
    updatedAt: "",
    agent: "",
    status: "created",
    prompt: "",
    configPath: null,
    agentConfig: null,
    epic: null,
    continues: null,
    workItem: null,
    schedule: null,
    workspace: null,
    checkpoint: null,
    closing: null,
    sessions: [],
    handoffs: [],
    pendingHandoff: null,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    costUsd: 0,
    costBasis: "told",
    turns: 0,
    activeMs: 0,
    activeSince: null,
    allowance: { costUsd: 0, turns: 0, activeMs: 0, handoffs: 0 },
    deniedToolCalls: 0,
    marker: null,
    tools: [],
    background: [],
    context: null,
    waiting: null,
    result: null,
    error: null,
    pauseCode: null,
    createdAt: "",
    finishedAt: null,
  };
}

/** What of its workspace is still there for Baton to keep or remove. */
export function leavesOf({ workspace, closing, finishedAt }: Job): "worktree" | "branch" | null {
  if (workspace === null || workspace.repo === null) return null;
  const isBeingClosed = closing !== null && finishedAt === null;
  if (workspace.state !== "removed" || isBeingClosed) return "worktree";
  return workspace.branchKept ? "branch" : null;
}

/** Whether it left a branch or a pull request that somebody has to look at. */
export function isToReview(job: Job): boolean {
  return job.status === "completed" && (leavesOf(job) !== null || job.workspace?.proposal != null);
}

/**
 * Whether a resume has only to publish and close what is done. Work that was done stays done: only what came after it is tried
 * again, unless that failed and its worktree went.
 */
export function isOnlyToBeClosed(job: Job): boolean {
  const { closing, workspace } = job;
  const isGone = workspace?.state === "removing" || workspace?.state === "removed";
  return closing?.outcome === "completed" && !(statusBeforeQueue(job) === "failed" && isGone);
}

/** What it was before it was queued, or is. */
export function statusBeforeQueue({ status, queued }: Pick<Job, "status" | "queued">): JobStatus {
  return status === "queued" && queued ? queued.from : status;
}

/** The agent that runs it, or would when it is resumed. */
export function agentNow({ agent, runsOn }: Pick<Job, "agent" | "runsOn">): string {
  return runsOn?.agent ?? agent;
}

/** Those that a job may make: not those that a limit, a failure or a lost session forces on it. */
export function countedHandoffs({ handoffs }: Pick<Job, "handoffs">): number {
  return handoffs.filter(({ trigger }) => trigger !== "switch" && trigger !== "lost").length;
}

export function isAtWork({ status }: Pick<Job, "status">): boolean {
  return status === "running" || status === "waiting";
}

const HAS_STOPPED = new Set<JobStatus>([
  "queued",
  "completed",
  "failed",
  "paused",
  "cancelled",
  "interrupted",
]);

/** How a session ended; null while it is open. What a job that nobody runs any more had open was cut off with it. */
export function endOf(job: Pick<Job, "status" | "sessions">, session: SessionRecord): SessionEnd | null {
  const isOpen = !HAS_STOPPED.has(job.status) && session === job.sessions.at(-1);
  return session.endReason ?? (isOpen ? null : "interrupted");
}

/** Of the session whose window was fullest, by what it had room for. Undefined where no window is known, or how full it was. */
export function fullestWindow({
  sessions,
}: Pick<Job, "sessions">): { tokens: number; window: number; isEstimate: boolean } | undefined {
  const known = sessions.flatMap(({ peakTokens: tokens, contextWindow: window, peakIsEstimate = false }) =>
    window && tokens > 0 ? [{ tokens, window, isEstimate: peakIsEstimate }] : [],
  );
  return known.toSorted((a, b) => b.tokens / b.window - a.tokens / a.window)[0];
}
