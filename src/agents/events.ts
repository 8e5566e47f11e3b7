/** What a program's adapter tells of a session, in the same words for every program. */

/** Tokens of one model response, by class. What was sent is the sum of all but `output`. */
export interface TokenUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour, and costs more. */
  cacheWriteHour?: number;
}

/**
 * How full the window is after a response, of a program that tells no tokens by class. `isEstimate`: it tells nothing at all, and
 * its adapter reckons from what was said.
 */
export interface WindowFill {
  tokens: number;
  isEstimate?: true;
}

/** Work that the agent started and that goes on while its main thread does something else. */
export interface BackgroundTask {
  id: string;
  kind: string;
  description: string;
  /** How to start it again, of a command: as the agent gave it, and the folder that it was started in. */
  command?: string;
  cwd?: string;
}

/** What the live program says about its own window. */
export interface ContextUsage {
  tokens: number;
  window: number;
  autoCompact: boolean;
  autoCompactThreshold?: number;
}

/**
 * What a tool call does, told by the adapter: nobody else knows a program's tools. `own`: it is one of Baton's. A `list`
 * takes the place of all todos, which are numbered from 1.
 */
export type ToolAction =
  | { kind: "command"; command: string }
  | { kind: "read"; path: string; lines?: LineRange }
  | { kind: "write"; path: string; changes?: readonly TextChange[] }
  | { kind: "search"; pattern: string; path?: string }
  | { kind: "todo"; change: "list"; todos: readonly { text: string; status: string }[] }
  | { kind: "todo"; change: "add"; text: string }
  | { kind: "todo"; change: "update"; id: string; text?: string; status?: string }
  | { kind: "todo"; change: "remove"; id: string }
  | { kind: "own" }
  | { kind: "other" };

export type ToolKind = ToolAction["kind"];

/** Lines of a file, counted from 1. Without `to`, to its end, or as far as the program reads at once. */
export interface LineRange {
  from: number;
  to?: number;
}

/** A piece of text that a call puts into a file. `removed`: what stood in its place, where the call says so. */
export interface TextChange {
  removed?: string;
  added: string;
}

/** What was not there before a tool call: the file that it wrote, or a todo, by the id that it got. */
export type Made = { kind: "file" } | { kind: "todo"; id: string };

/** What would have allowed a call: rules as in `allowedTools`, or a permission mode. */
export type Grant = { tools: string[] } | { mode: string };

/** How a turn ended. Exactly one kind, and only `completed` is a success. */
export type Outcome =
  | { kind: "completed"; text: string }
  | { kind: "stopped" }
  | { kind: "interrupted" }
  | { kind: "out-of-context"; message: string }
  | { kind: "limited"; message: string; resetsAt?: number }
  | { kind: "max-turns"; message: string }
  /** The account does not let it work any more, until a person sees to that: its sign-in is lost, or nothing is left to pay with. */
  | { kind: "no-access"; message: string }
  | { kind: "failed"; message: string; code: string; retryable: boolean };

/** `subagent` is set on what belongs to a subagent, which has a window of its own. */
export type AgentEvent =
  | { type: "init"; sessionId: string; model: string; program: string }
  /**
   * Without `usage` where the program, or the model's server, does not tell it. `costUsd`: by list prices, until the program
   * tells its own figure; missing where the price is not known.
   */
  | {
      type: "response";
      id: string;
      model: string;
      usage?: TokenUsage;
      window?: WindowFill;
      costUsd?: number;
      /** When, where a transcript says so. */
      at?: string;
      subagent?: string;
    }
  | { type: "text"; text: string; subagent?: string }
  /** A further piece of a text of the main thread. The whole of it follows as `text`. */
  | { type: "text:delta"; text: string }
  /** `about`: what tells a person most of it, at any length. `input` is the program's own matter, but for its size. */
  | {
      type: "tool:start";
      id: string;
      name: string;
      does: ToolAction;
      about: string;
      input: unknown;
      subagent?: string;
    }
  /** `interrupted`: it was ended in the middle, with the turn. `refused`: a person said no to it, in words, and it was not made. */
  | {
      type: "tool:end";
      id: string;
      ok: boolean;
      output: string;
      interrupted?: true;
      refused?: true;
      made?: Made;
      subagent?: string;
    }
  /**
   * The call is not made. `about` as of its start. `allow` is missing where no rule could allow it: another forbids it, or
   * a person does.
   */
  | {
      type: "tool:denied";
      id: string;
      name: string;
      about: string;
      message: string;
      allow?: Grant;
      byPerson?: true;
    }
  | { type: "background"; tasks: BackgroundTask[] }
  /** `at`: when it came to that, where a transcript says so. */
  | {
      type: "subagent";
      id: string;
      task: string;
      state: "running" | "completed" | "failed" | "stopped";
      at?: string;
    }
  /** What a person said. Only transcripts tell it: in a session of its own, Baton says everything itself. */
  /** `midTurn`: the agent was told of it while it worked. */
  | { type: "user"; text: string; midTurn?: true }
  /** What a person said while the agent works, of which it has not been told yet. It comes as `user` where it is. Only transcripts tell it. */
  | { type: "queued"; text: string }
  /** `heard`: the agent was told of it, and no `user` comes. Otherwise it never will be. Without a text: the oldest, or all that never will be. */
  | { type: "unqueued"; text?: string; heard: boolean }
  /** What the session is called: by the person, or by the program. Only transcripts tell it. */
  | { type: "title"; title: string; byPerson: boolean }
  /** The program printed something that changes nothing: a sign of life. */
  | { type: "activity" }
  /** Nothing goes on any more: no turn, no subagent, nothing queued. Commands in the background may still run. */
  | { type: "idle" }
  | { type: "context"; usage: ContextUsage }
  | { type: "compaction:start" }
  | { type: "compaction:end"; ok: boolean; before?: number; after?: number }
  | { type: "retry"; attempt: number; of: number; delayMs: number; status?: number; message: string }
  | { type: "limit"; state: "near" | "reached"; scope?: string; resetsAt?: number }
  /** `costUsd` counts from the start of this run of the program. Missing where the program does not tell it. */
  | { type: "turn:end"; outcome: Outcome; costUsd?: number; windows: Record<string, number> }
  | { type: "exit"; code?: number; signal?: string; message?: string };
