import type { z } from "zod";
import type { Box } from "../box/box.ts";
import type { BoxNeeds } from "../box/needs.ts";
import type { Abilities } from "../config/runtimes/abilities.ts";
import type { Trace } from "../processes/trace.ts";
import type { RepositoryFile } from "../trust/repository-file.ts";
import type { Instruction } from "./instructions.ts";
import type { OwnPrices, Price } from "./price.ts";

/**
 * The contract between Baton and a coding agent's program. Each program has one adapter that turns its own
 * messages into these events; nothing above this folder sees a program's message format.
 */

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

/** A tool of Baton's own, offered to the agent beside those of its program. */
export interface OwnTool {
  name: string;
  description: string;
  input: z.ZodRawShape;
  /** `text` is what the agent reads. */
  call(input: Record<string, unknown>): Promise<{ ok: boolean; text: string }>;
}

/** Loaded beside the program's start, which must not wait for their schemas. */
export interface OwnTools {
  names: readonly string[];
  load(): Promise<OwnTool[]>;
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

/** A call that the rules of a session do not allow by themselves, as a person is asked about it. */
export interface PermissionQuestion {
  /** Of the tool call. */
  id: string;
  name: string;
  /** What tells a person most of it, at any length. */
  about: string;
  /** The whole of what it is called with: a yes holds for this alone. */
  input: unknown;
  does?: ToolAction;
  /** What would allow this call and its like for good, as in `allowedTools`. Missing where nothing would. */
  rule?: string;
  /** Why the program asks, where it says so. */
  why?: string;
  /** What the agent itself wants to know. Then `said` answers it, with a text for each. */
  questions?: AgentQuestion[];
}

/** A question of the agent's own. `several`: more than one option may be chosen. */
export interface AgentQuestion {
  question: string;
  options: { label: string; description?: string }[];
  several?: true;
}

export type PermissionAnswer =
  | { answer: "once" | "always" }
  | { answer: "no"; because?: string }
  | { answer: "said"; texts: string[] };

/** Asks a person. Aborted when the answer is of no use any more: then whatever it says is a no. */
export type Permit = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

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

/** Everything an adapter needs to run one session. */
export interface SessionSpec {
  /**
   * Minted by the caller, so that it is on record before the program starts. Where the program mints its own, see
   * `AgentSession.identified`. All that runs for the session carries `sessionMark` of this id, whatever the program calls it.
   */
  sessionId: string;
  /** For the program and all that it starts to be found by, where the system can carry it. */
  trace?: Trace;
  /** Resume the session of this id instead of beginning a new one. */
  resume: boolean;
  cwd: string;
  model?: string;
  systemPrompt?: string;
  allowedTools: string[];
  deniedTools: string[];
  /** Folders whose files it may read without a question, wherever they are. */
  readable?: readonly string[];
  permissionMode?: string;
  /** Without it, nobody is asked: what the rules do not allow is denied. */
  permit?: Permit;
  mcpServers: Record<string, unknown>;
  ownTools: OwnTools;
  maxTurns?: number;
  /** The whole environment of the program, secrets included: never logged. */
  env: Record<string, string>;
  /** The user's own program in place of the bundled one. */
  executable?: string;
  /** Where the program runs, if not on this machine as it is: it is started by the box's `launch`. */
  box?: Pick<Box, "folder" | "launch" | "model" | "reach">;
  /** Leave the program's own compaction on. */
  autoCompact: boolean;
  /**
   * Whether the program acts on what `repositoryFiles` names. If not, none of it runs: no hook, server, helper, variable,
   * agent, command or skill. If so, what changes of it while the session lives counts for the next one.
   */
  readsRepository: boolean;
}

/** What a program in a box is to run with. */
export interface BoxSetting extends Pick<SessionSpec, "env" | "cwd" | "executable" | "model"> {
  /** What the user says that models cost. */
  prices: OwnPrices;
}

export interface Message {
  text: string;
  /** The program must not expand slash commands or file mentions in it. */
  verbatim: boolean;
}

/**
 * One live run of the program. Its owner reads `events` to the end, `exit`, also while it closes it, and calls `close`,
 * which may be called again.
 */
export interface AgentSession {
  readonly id: string;
  /**
   * Of a program that mints its own ids: resolves when `id` is the one by which the session can be found again, or when there will be
   * none. Nothing is sent before, so that it is on record before the first work.
   */
  readonly identified?: Promise<void>;
  readonly events: AsyncIterable<AgentEvent>;
  /** Begins another turn, or the first. */
  send(message: Message): void;
  /** Ends the turn once the running tools have finished. No effect when no turn is running. */
  stopAtBoundary(): void;
  /** Takes a pending `stopAtBoundary` back. */
  goOn(): void;
  /** Ends the turn now, running tools included. */
  interrupt(): Promise<void>;
  contextUsage(): Promise<ContextUsage | undefined>;
  /** From now on the program compacts its window by itself, as with `autoCompact`. False where it cannot be told so. */
  letCompact(): Promise<boolean>;
  /**
   * What this run of the program has cost so far, where the program can tell during a turn: all responses that were heard
   * by the time of the answer, and none that is still to be heard.
   */
  costSoFar(): Promise<number | undefined>;
  /**
   * From the call on no tool call begins, of a subagent neither, and nothing is sent. Ends the turn, running tools
   * included, then the program and everything it started. `events` tells all that happens until then, `exit` last.
   * Resolves when nothing of it runs any more.
   */
  close(): Promise<void>;
}

/** What a program knows of the models that it runs on. */
export interface Models {
  /** Undefined where it is not known: a guess would be worse than none. */
  windowOf(model: string): number | undefined;
  /** One name for all spellings of a model that have the same window. */
  windowKey(model: string): string;
  /** True for two spellings of one model, whichever of its windows was asked for. */
  isSameModel(one: string, other: string): boolean;
  /** By list, of a response to a prompt of so many tokens. Undefined where it is not known. */
  priceOf(model: string, prompt: number): Price | undefined;
}

/** How a program's permissions and names are written. */
export interface Vocabulary {
  /** What allows the commands of a line with whatever arguments, as in `allowedTools`. */
  commandRules(line: string): string[];
  /** What a name is most likely a misspelling of. Undefined where it is known, or near to nothing that is. */
  meant?(kind: "model" | "tool", written: string): string | undefined;
}

/** Whether sessions can be started here. `problem` and `fix` are for a person. */
export type Readiness =
  /** `credentials`: what it signs in with, in words. `plan`: it is a person's own plan, and no key. */
  | { state: "ready"; program: string; credentials: string; plan?: true }
  | { state: "no-program"; problem: string; fix: string }
  | { state: "no-credentials"; program: string; problem: string; fix: string };

export interface Agent {
  /** Of the program, as people know it. */
  readonly name: string;
  readonly abilities: Abilities;
  readonly models: Models;
  readonly vocabulary: Vocabulary;
  /**
   * `where`: the folder whose settings may say how to sign in. It is only asked where nothing else tells; without one the
   * program is asked where there are no settings.
   */
  ready(
    setting: Pick<SessionSpec, "env" | "executable"> & { where?: () => Promise<string | undefined> },
  ): Promise<Readiness>;
  /** What the program signs in with, and where: the same for two environments that use up one allowance. Never shown nor kept. */
  signIn?(env: Record<string, string>): Promise<string[]>;
  /** Of the program at this path, as it says it itself. */
  version(program: string): Promise<string>;
  /** Every file that the program would act on by itself in this folder, and that is not the user's own. */
  repositoryFiles(folder: string): Promise<RepositoryFile[]>;
  /** What the program would read as instructions in this folder, and does not where it must not read its settings. */
  instructions(folder: string): Promise<Instruction[]>;
  /** What the program needs in a box. Missing where it cannot run in one. */
  boxNeeds?(setting: BoxSetting): BoxNeeds;
  /** Starts the program. It waits for the first `send`. */
  start(spec: SessionSpec): AgentSession;
  /** The file that holds the transcript of a session, or undefined where there is none. */
  findTranscript(session: Pick<SessionSpec, "sessionId" | "env">): Promise<string | undefined>;
  /** What happened in a session so far, by its transcript. Nothing where there is none. */
  readTranscript(session: Pick<SessionSpec, "sessionId" | "env">): AsyncIterable<AgentEvent>;
}
