import type { ProgramProcess } from "../../agents/claude/own/program-process.ts";
import type { Pane, SessionKind, SessionRole } from "../../agents/claude/own/surroundings.ts";
import type { ContextState } from "../../context/tracker.ts";
import type { HandoffTrigger } from "../../handoff/document.ts";
import type { HookSettings } from "../hooks/settings.ts";

/** How full a session's window is, and how that is known: an estimate says so wherever it is shown. */
export interface ContextFigure {
  tokens: number;
  window: number;
  percent: number;
  turns: number;
  /** Tokens that a turn adds, and how many more such turns fit. */
  growth?: number;
  turnsLeft?: number;
  model?: string;
  source: "transcript" | "status-line" | "estimate";
}

/** How far the transcript was read, so that only what is new is read again. */
export interface Reading {
  path: string;
  inode: number;
  offset: number;
  context: ContextState;
}

/** What a session says about the task that it was given, for its orchestrator. */
export interface WorkerReport {
  orchestrator: string | null;
  task: string;
  status: string;
  branch: string | null;
  at: string;
}

/**
 * The handoff that a session is in the middle of. `asked`: the agent was told to submit it. `stored`: it is on disk,
 * checked. `clearing`: the pane is being cleared, or the next session started. `taken-up`: the next session has it.
 * `pending`: a person must start the next session.
 */
export interface SessionHandoff {
  state: "asked" | "stored" | "clearing" | "taken-up" | "pending" | "failed";
  at: string;
  /** Who wanted it. The threshold, where it is not said. */
  trigger?: HandoffTrigger;
  focus?: string;
  /** Within the chain of sessions that took the work up from one another. */
  number: number;
  /** What the first account lacked: the agent was told, and its next one is completed from facts. */
  again?: string[];
  documentPath?: string;
  /** Of the next session. */
  successor?: string;
  /** Why it failed, or why a person must go on. */
  reason?: string;
  /** The person was told that the agent did not do what it was asked for. */
  unanswered?: true;
  /** The person went on in the session, although its handoff waits for the next one. */
  wentOn?: true;
  /** It was made before the session was compacted: the window that fills now can be handed over again. */
  outlived?: true;
}

/** Its document is on disk, and the next session has not begun. */
export function isOnItsWay(handoff: SessionHandoff | null): boolean {
  return handoff?.state === "stored" || handoff?.state === "clearing";
}

/** Nobody takes so long to get on with a handoff, unless they wait for a prompt: whoever was at it is gone. */
export const CUT_OFF_MS = 90_000;

/** A session that a person started, and that Baton watches without owning its process. */
export interface OwnSession {
  /** As the agent program names it. */
  id: string;
  program: "claude";
  kind: SessionKind;
  cwd: string;
  /** The folder that the project's handoffs and configuration are in. */
  project: string;
  transcript: string | null;
  process: ProgramProcess | null;
  pane: Pane | null;
  role: SessionRole;
  startedAt: string;
  seenAt: string;
  ended: { at: string; reason: string } | null;
  /** The session whose handoff this one picked up. */
  parent: string | null;
  figure: ContextFigure | null;
  reading: Reading | null;
  /** Per cents that were said already. */
  warned: number[];
  handoff: SessionHandoff | null;
  report: WorkerReport | null;
  /** What others told it while it could not listen, to be delivered at its next start. */
  mail: { from: string; text: string; at: string }[];
  /** What its hooks go by, once one of them has run. */
  settings?: HookSettings;
}

/** A session of which no more is known than who and where it is, and what else is given. */
export function newSession(
  known: Pick<OwnSession, "id" | "cwd" | "project" | "startedAt"> & Partial<OwnSession>,
): OwnSession {
  return {
    program: "claude",
    kind: "cli",
    transcript: null,
    process: null,
    pane: null,
    role: "single",
    seenAt: known.startedAt,
    ended: null,
    parent: null,
    figure: null,
    reading: null,
    warned: [],
    handoff: null,
    report: null,
    mail: [],
    ...known,
  };
}
