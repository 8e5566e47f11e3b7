import type { ProgramProcess } from "../../agents/claude/own/program-process.ts";
import type { Pane, SessionKind, SessionRole } from "../../agents/claude/own/surroundings.ts";
import type { ContextState } from "../../context/tracker.ts";
import { liveness, type ProcessIdentity, thisProcess } from "../../processes/owner.ts";
import type { HookSettings } from "../hooks/settings.ts";
import type { About } from "./about.ts";
import type { SessionHandoff } from "./handoff-state.ts";

/** How full a session's window is, and how that is known: an estimate says so wherever it is shown. */
export interface ContextFigure {
  tokens: number;
  window: number;
  percent: number;
  /** An estimate of what the next request carries beyond `tokens`: results of tools that no answer has counted. */
  pending?: number;
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
  /** Earlier versions of Baton did not keep it. */
  about?: About;
}

/** What a session says about the task that it was given, for its orchestrator. */
export interface WorkerReport {
  orchestrator: string | null;
  task: string;
  status: string;
  branch: string | null;
  at: string;
}

/** A job that a session started, and where its journal is: what has become of it, only that tells. */
export interface StartedJob {
  id: string;
  /** Its request, in short: known also where the journal cannot be read. */
  task: string;
  /** The folder of its project. */
  root: string;
}

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
  /** The agent has something to answer, as far as hooks tell. */
  inTurn?: true;
  /** What it may do without asking, in its program's words, when a hook last told. */
  permissionMode?: string;
  /** The session whose handoff this one picked up. */
  parent: string | null;
  figure: ContextFigure | null;
  reading: Reading | null;
  /** Per cents that were said already. */
  warned: number[];
  handoff: SessionHandoff | null;
  report: WorkerReport | null;
  /** Missing where it started none. */
  jobs?: StartedJob[];
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

/** Why a session has ended whose program could not say so. */
export const PROCESS_GONE = "its process is gone";

/** Why the handoff of such a one waits. */
export const SESSION_GONE = "its session has ended";

/** The program of the session is known, and runs no more: what was killed does not put its end on record. */
export function programIsGone({ process }: OwnSession, here: ProcessIdentity = thisProcess()): boolean {
  return process !== null && liveness({ ...here, ...process }, here) === "dead";
}
