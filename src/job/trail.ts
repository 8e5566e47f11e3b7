import type { ToolKind } from "../agents/events.ts";

/** What a job's sessions have read, run and written, by digests: as much as it takes to see what is done again. */
export interface Trail {
  /** The one at work. */
  session: string | null;
  own: Doings;
  /** Of all sessions before it; `read` of the last one only. */
  before: Doings;
  /** Calls of its main thread so far. */
  calls: number;
  open: OpenCall[];
  /** What its newest request carried. Null before the first, or where the program did not tell. */
  sent: number | null;
  /** How long the job had been at work when the session was told what to do. Null until then. */
  sinceMs: number | null;
  /** Since when a limit is waited for. */
  limitedSince: string | null;
}

/** Oldest first. */
interface Doings {
  /** Files. */
  read: string[];
  written: string[];
  /** A command and what it came to, one after the other. */
  ran: string[];
  /** What was taken out of files, or put into them. */
  texts: string[];
}

/** With what the session had spent when the call began. */
export interface OpenCall {
  id: string;
  does: ToolKind;
  digest: string;
  /** For people. */
  name: string;
  removed: string[];
  added: string[];
  isSubagents: boolean;
  turns: number;
  ms: number;
  costUsd: number | null;
}

/** The snapshot of a job holds all of it, and is written with every event. */
const MOST_KEPT = 300;

const NOTHING: Doings = { read: [], written: [], ran: [], texts: [] };

const AT_REST = { calls: 0, open: [], sent: null, sinceMs: null, limitedSince: null };

export const EMPTY_TRAIL: Trail = { session: null, own: NOTHING, before: NOTHING, ...AT_REST };

/** Another session takes over. */
export function trailOfNext({ own, before }: Trail, session: string): Trail {
  return {
    session,
    own: NOTHING,
    before: {
      read: own.read,
      written: [],
      ran: own.ran.reduce(withRun, before.ran),
      texts: kept([...before.texts, ...own.texts]),
    },
    ...AT_REST,
  };
}

export function withRead(doings: Doings, file: string): Doings {
  return { ...doings, read: withNewest(doings.read, file) };
}

export function withWritten(doings: Doings, file: string, texts: readonly string[]): Doings {
  const written = withNewest(doings.written, file);
  return { ...doings, written, texts: kept([...doings.texts, ...texts]) };
}

export function withCommand(doings: Doings, command: string, result: string): Doings {
  return { ...doings, ran: withRun(doings.ran, runOf(command, result)) };
}

/** What a command came to when it was last run. Undefined where it was not. */
export function resultOf({ ran }: Doings, command: string): string | undefined {
  return ran.find((run) => run.startsWith(`${command} `))?.slice(command.length + 1);
}

const runOf = (command: string, result: string) => `${command} ${result}`;

function withRun(runs: string[], run: string): string[] {
  const command = run.slice(0, run.indexOf(" ") + 1);
  return kept([...runs.filter((other) => !other.startsWith(command)), run]);
}

function withNewest(all: string[], newest: string): string[] {
  return all.includes(newest) ? all : kept([...all, newest]);
}

const kept = (all: string[]) => all.slice(-MOST_KEPT);
