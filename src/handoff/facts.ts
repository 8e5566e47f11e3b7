import type { Todo } from "../agents/todos.ts";
import type { GitState } from "../git/state.ts";
import { joinedLines } from "../util/text.ts";
import { utcMinute } from "../util/time.ts";
import type { WorkingSet } from "./working/working-set.ts";

/** A file that the agent touched through its tools. Relative to the workspace where it lies in it. */
export interface FileFact {
  path: string;
  change: "created" | "edited" | null;
  read: boolean;
}

export interface CommandFact {
  command: string;
  /** Null while it is not known how the newest run of it ended. */
  ok: boolean | null;
  runs: number;
}

export interface TestFact {
  command: string;
  ok: boolean;
  /** The end of what it printed. */
  output: string;
}

export type TodoFact = Todo;

export interface SubagentFact {
  id: string;
  task: string;
  state: "running" | "completed" | "failed" | "stopped";
  /** Where somebody saw it start, or the program says when it did. */
  startedAt?: string;
}

/** A call that was not made: the user said no to it, or the rules of the session do not allow it. */
export interface RefusedFact {
  call: string;
  by: "user" | "rules";
}

/**
 * What a machine can know exactly about a job, with no model. Plain JSON, cumulative: each session's facts begin with
 * those of the sessions before it.
 */
export interface Facts {
  request: string;
  /** What the user said after the request, word for word. */
  messages: string[];
  constraints: string[];
  /** What the accounts of all handoffs list as done. */
  done: string[];
  files: FileFact[];
  commands: CommandFact[];
  lastTest: TestFact | null;
  lastError: string | null;
  lastText: string | null;
  todos: TodoFact[];
  subagents: SubagentFact[];
  /** Missing where there are none. */
  refused?: RefusedFact[];
  /** What was in hand last. Missing in the facts of earlier versions. */
  working?: WorkingSet;
}

/** How the workspace stands at the moment of a handoff. */
export interface WorkspaceFacts {
  git: GitState | null;
  /** Of the files named in facts or account: those that are not there. */
  missing: string[];
}

/** The whole of a longer one is in the transcript. */
const LONGEST_TASK = 300;

export function subagentLine({ id, task, startedAt }: SubagentFact): string {
  const line = joinedLines(task, " ");
  const told = line.length > LONGEST_TASK ? `${line.slice(0, LONGEST_TASK - 1)}…` : line;
  return `${id}: ${told}${startedAt === undefined ? "" : ` (started ${utcMinute(startedAt)})`}`;
}

export function noFacts(request: string): Facts {
  return {
    request,
    messages: [],
    constraints: [],
    done: [],
    files: [],
    commands: [],
    lastTest: null,
    lastError: null,
    lastText: null,
    todos: [],
    subagents: [],
  };
}
