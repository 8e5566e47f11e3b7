import type { z } from "zod";
import type { Box } from "../box/box.ts";
import type { BoxNeeds } from "../box/needs.ts";
import type { Abilities } from "../config/runtimes/abilities.ts";
import type { Trace } from "../processes/trace.ts";
import type { RepositoryFile } from "../trust/repository-file.ts";
import type { AgentEvent, ContextUsage } from "./events.ts";
import type { Instruction } from "./instructions.ts";
import type { Permit } from "./permission.ts";
import type { OwnPrices, Price } from "./price.ts";

/**
 * The contract between Baton and a coding agent's program. Each program has one adapter that turns its own
 * messages into these events; nothing above this folder sees a program's message format.
 */

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
  /** Of the program at this path, as it says it itself. Rejects where it is another program, or too old. */
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
