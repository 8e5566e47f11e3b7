import type { BackgroundTask, Grant, TokenUsage, ToolKind } from "../agents/events.ts";
import type { PermissionAnswer } from "../agents/permission.ts";
import type { Chosen } from "../config/chosen.ts";
import type { HookEvent } from "../config/hook-config.ts";
import type { Runtime } from "../config/runtimes/runtimes.ts";
import type { Ways } from "../config/ways.ts";
import type { Check } from "../handoff/checks.ts";
import type { HandoffDocument, HandoffOutcome, HandoffSource, HandoffTrigger } from "../handoff/document.ts";
import type { Facts, TodoFact } from "../handoff/facts.ts";
import type { HookRun } from "../hooks/hook-run.ts";
import type { Outcome, WorkItem, WorkspaceEvent } from "../workspace/workspace.ts";
import type { Ask } from "./asks/asks.ts";
import type { DeniedView, Permissions } from "./denied.ts";
import type { ContainerRecord, Job, RecordedConfig } from "./job.ts";

/** Why a session is no longer the job's current one. */
export type SessionEnd =
  | "completed"
  | "handoff"
  | "out-of-context"
  | "limited"
  | "failed"
  | "paused"
  | "cancelled"
  | "interrupted";

/** Why a job is paused. Told apart by code; the message is for people. */
export type PauseCode =
  | "max_handoffs"
  | "handed_off"
  | "thrash"
  | "limit_reached"
  | "budget"
  | "usage_limit"
  | "api_failing"
  | "stalled"
  | "max_turns"
  | "folder_gone"
  | "no_room"
  | "store_held"
  /** Its item of work is, or may be, somebody else's. */
  | "item_lost"
  /** Whoever runs it dies of it. */
  | "owner_dies"
  | "hook"
  | "requested"
  | "asking"
  /** Its turn is over, and the person who takes part has the word. */
  | "awaiting"
  | "ask_timeout";

/** Why another agent takes a job over. The first three: the one before cannot work. */
export type SwitchReason =
  | "usage_limit"
  | "api_failing"
  | "no_access"
  | "reset"
  | "manual"
  | "not_configured";

/** Where hooks can be hung in, as the configuration names it. */
type HookPoint =
  | "before_run"
  | "after_run"
  | "on_error"
  | "on_session_start"
  | "on_context_threshold"
  | "on_handoff"
  | "notify";

/** `tokens` are those that the model's server counted; 0 while it has told none. `percent` is their share. */
export interface ContextFigures {
  tokens: number;
  window: number;
  percent: number;
  /** `tokens` is an estimate itself: the program tells nothing. */
  isEstimate?: boolean;
  /** An estimate of what the next request carries on top: results of tools, and what was said without a figure. */
  pending?: number;
  /** The tokens at which the session hands off, where that moves with the job: `economical`. */
  handoffAt?: number;
}

/** A message that Baton sent to the agent. `said`: what a person in the job said after their request. */
export type MessageKind = "request" | "said" | "continuation" | "handoff" | "resume" | "retry";

/**
 * `recorded`: it is a document that Baton stored, and knows whose. `facts`: what was known exactly when it was written,
 * where its job is on record.
 */
export interface Continued {
  document: string;
  recorded?: true;
  facts?: Facts;
  /** It continues a person's own session, and works as that did. */
  ways?: Ways;
}

/** The job that another came from. `retry`: it begins anew. `fork`: it begins with the files that the other had. */
export type Parent = { job: string; by: "retry" } | ({ job: string; by: "fork" } & ForkPoint);

/** The moment of its parent that a fork begins from. */
export interface ForkPoint {
  /** Holds the whole tree, uncommitted files included. */
  commit: string;
  /** Where its branch begins. */
  head: string;
  /** What the work on the branch is counted from, and to be merged into, where that is known. */
  base?: string;
  baseBranch?: string;
  /** Where the parent works. */
  folder: string;
  /** Of the parent, by their numbers: missing where it was as it stood. */
  checkpoint?: number;
  handoff?: number;
}

/** The conversation with people that a job was begun in. `channel`: of a thread, its parent. */
export interface ConversationOrigin {
  service: ChatService;
  channel: string;
  by: { id: string; name: string };
  /** Opens it, where the service has links. */
  url?: string;
}

export type ChatService = "slack" | "discord" | "terminal";

/** A sign that somebody works. `events`: the agent's program said something. */
export type LifeSign = "events" | "processes" | "files" | "git";

/** What a job does over and over: a command with the same output, edits that undo edits, tests that go on failing. */
export type CircleKind = "commands" | "edits" | "tests";

/**
 * By which calls are compared, of a command, a read and a write. `digest`: of the whole command or path. `removed`, `added`:
 * of each text that a write took out of its file and put in.
 */
export interface CallDigests {
  digest?: string;
  removed?: string[];
  added?: string[];
}

/** How a handoff was written, wherever its document is. */
interface WrittenHandoff {
  handoffNumber: number;
  session: string;
  source: HandoffSource;
  outcome: HandoffOutcome;
  checks: Check[];
  reason?: string;
  durationMs: number;
}

/** Everything that can happen to a job. The journal holds these in order and the job is their fold. */
export type JobEvent =
  | {
      type: "job:created";
      agent: string;
      prompt: string;
      configPath?: string;
      agentConfig: RecordedConfig;
      /** Named by the user: what belongs together is archived together. */
      epic?: string;
      workItem?: WorkItem;
      /** The schedule that started it. */
      schedule?: string;
      /** By the user, for this job alone. */
      chosen?: Chosen;
      /** A person takes part in it. */
      attended?: true;
      /** It serves a conversation with people. */
      conversation?: ConversationOrigin;
      /** The handoff document, from another job or from a person, that this one begins with. */
      continues?: Continued;
      /** The session of a person's that started it, by its id: an orchestrator follows it among its workers. */
      startedBy?: string;
      parent?: Parent;
    }
  /** What the agent tells the orchestrator that started the job. */
  | { type: "job:reported"; session: string; status: string }
  /** It waits for a slot of the fleet. `after`: until these are completed. `message`: why it waits again. `chosen`: all that holds from now on. */
  | { type: "job:queued"; priority: number; after?: string[]; message?: string; chosen?: Chosen }
  | { type: "job:started"; pid: number; marker: string }
  /** `died`: whoever ran it ended without saying why. */
  | { type: "job:interrupted"; message: string; died?: true }
  /** `chosen`: all that holds from now on, where the user chose something. */
  | { type: "job:resumed"; message: string; chosen?: Chosen }
  /** `denied`: what it was not allowed to do. */
  | { type: "job:completed"; result: string; denied?: DeniedView[] }
  | { type: "job:failed"; error: string }
  | { type: "job:paused"; code: PauseCode; message: string }
  | { type: "job:cancelled"; message: string }
  /** The work is over and its workspace is being closed. Whoever picks the job up again continues from here. */
  | { type: "job:closing"; outcome: Outcome["kind"]; text: string }
  | WorkspaceEvent
  /** `permissions`: missing in the journals of earlier versions. */
  | {
      type: "session:starting";
      session: string;
      ordinal: number;
      mode: "fresh" | "continuation" | "resumed";
      permissions?: Permissions;
      /** Whose session it is, and what runs it. Missing in the journals of earlier versions: then the job's own agent. */
      agent?: string;
      runtime?: Runtime;
    }
  | { type: "session:started"; session: string; model: string; program: string }
  /** `turns`: all that the session has taken, where the journal has not heard of some. */
  | {
      type: "session:known";
      session: string;
      contextWindow?: number;
      transcript?: string;
      turns?: number;
      /** By list prices, of the turns that the journal has not heard of; missing where one of them has none. */
      missedCostUsd?: number;
      /** The last of these turns was answered by the simulator. */
      simulated?: true;
    }
  /** The program was started without what came with the repository, because the user has not agreed to these files. */
  | { type: "repository:left-out"; session: string; files: string[] }
  | { type: "session:ended"; session: string; reason: SessionEnd; message?: string }
  /** `queued`: its number, where it had waited to be told. */
  | { type: "message:sent"; session: string; kind: MessageKind; text: string; queued?: number }
  /** The session has answered since it was told them, or has them in its transcript. `queued`: their numbers. */
  | { type: "message:delivered"; session: string; queued: number[] }
  /** Somebody wants the job to rest at its next boundary. */
  | { type: "pause:requested" }
  | { type: "pause:refused"; message: string }
  /**
   * No sign of life for `quietMs`. `tool`: what the agent waits for. `watched`: where signs were looked for. `actsInMs`: until
   * its program is ended, if nothing changes.
   */
  | {
      type: "stall:suspected";
      session: string;
      quietMs: number;
      actsInMs: number;
      watched: LifeSign[];
      tool?: string;
    }
  /** `alive`: there was a sign, after all. `ended`: the program was ended, and its session is resumed. */
  | { type: "stall:over"; session: string; outcome: "alive" | "ended"; quietMs: number; sign?: LifeSign }
  /** It seems to make no progress. `what`: the command, the file or the test command. `times`: how often. `since`: the event of the first. */
  | {
      type: "circles:suspected";
      session: string;
      kind: CircleKind;
      what: string;
      times: number;
      since: number;
      failing?: number[];
    }
  /** `usage` is missing where the program did not tell it. `costUsd`: by list prices. Missing where they are not known, and in the journals of earlier versions. */
  | {
      type: "response";
      session: string;
      model: string;
      usage?: TokenUsage;
      costUsd?: number;
      /** Answered by the simulator: nothing is paid. */
      simulated?: true;
      context: ContextFigures;
    }
  | {
      type: "subagent:response";
      session: string;
      subagent: string;
      model: string;
      usage?: TokenUsage;
      costUsd?: number;
    }
  | { type: "text"; session: string; text: string }
  /**
   * `does` is missing in the journals of earlier versions: `recordedKind` knows. They have no digests either. `path`: the
   * whole of it, where the summary is cut.
   */
  | ({
      type: "tool:start";
      session: string;
      id: string;
      name: string;
      does?: ToolKind;
      summary: string;
      path?: string;
      subagent?: string;
    } & CallDigests)
  /**
   * `denied`: it was not made, and that is on record. `pending`: of `ContextFigures`, with this result. `digest`: of what a
   * command came to.
   */
  | {
      type: "tool:end";
      session: string;
      id: string;
      ok: boolean;
      output: string;
      interrupted?: true;
      denied?: true;
      pending?: number;
      digest?: string;
      subagent?: string;
    }
  /** A call needs a person's yes, or the agent wants to know something of them. */
  | ({ type: "ask:made" } & Ask)
  /** `rule`: what the person allowed for good. `late`: its program was closed by then, so it holds for the call when that is made again. */
  | { type: "ask:answered"; ask: string; answer: PermissionAnswer; rule?: string; late?: true }
  /** A late answer was given to the call that it is for. */
  | { type: "ask:used"; ask: string; call: string }
  /** Nobody can answer it any more: what had asked is gone. */
  | { type: "ask:withdrawn"; ask: string; message: string }
  /** Nobody answered it in time. `denied`: so the call is not made. */
  | { type: "ask:expired"; ask: string; message: string; denied?: true }
  /** A person was asked and said yes. `rule`: for good, and what that allows. Journals of earlier versions have it. */
  | { type: "tool:permitted"; session: string; id: string; name: string; rule?: string }
  /** Journals of earlier versions have no `summary`. */
  | {
      type: "tool:denied";
      session: string;
      id: string;
      name: string;
      summary?: string;
      message: string;
      allow?: Grant;
      byPerson?: true;
    }
  /** The agent's list of what it has to do, as it stands from now on. */
  | { type: "todos:changed"; session: string; todos: TodoFact[] }
  | { type: "background"; session: string; tasks: BackgroundTask[] }
  | {
      type: "compaction";
      session: string;
      state: "start" | "done" | "failed";
      before?: number;
      after?: number;
    }
  /** What the program itself says that this run of it has cost so far. */
  | { type: "cost"; session: string; costUsd: number }
  | { type: "context:warning"; session: string; level: number; context: ContextFigures; turnsLeft?: number }
  | {
      type: "context:handoff:start";
      agentName: string;
      jobId: string;
      oldSessionId: string;
      usagePercent: number;
      inputTokens: number;
      contextWindow: number;
      /** Of `ContextFigures`. */
      isEstimate?: boolean;
      pending?: number;
      trigger: HandoffTrigger;
      handoffNumber: number;
    }
  /**
   * From the next session on the agent `to` of the configuration runs the job. `until`: from when on `from` can work again, as
   * far as is known; missing where only a person can change that.
   */
  | {
      type: "agent:switched";
      from: string;
      to: string;
      reason: SwitchReason;
      message: string;
      until?: number;
    }
  /** What still ran in the background when the session had to end. `atRest`: it had done nothing for a while. */
  | { type: "background:left"; session: string; tasks: BackgroundTask[]; atRest?: boolean }
  /** Somebody wants a handoff at the next boundary. */
  | { type: "handoff:requested"; session: string; by: "manual" | "agent"; focus?: string; to?: string }
  | { type: "handoff:refused"; message: string }
  | { type: "handoff:asked"; session: string; handoffNumber: number; again?: string[] }
  | { type: "handoff:cancelled"; session: string; stage: "waiting" | "background" | "writing" }
  /** No document came of it, and the session goes on. */
  | { type: "handoff:failed"; session: string; message: string }
  /** Written before they go. The remote has every file that they hold. */
  | { type: "checkpoints:removed"; refs: string[]; remote: string }
  /** The whole tree of the workspace is kept under this ref. */
  | { type: "checkpoint"; ref: string; commit: string; reason: string }
  | { type: "facts:collected"; handoffNumber: number; facts: Facts }
  | ({ type: "handoff:stored"; documentPath: string } & WrittenHandoff)
  /** Its folder took no more, so the document waits here, and is stored when the job continues. */
  | ({
      type: "handoff:unstored";
      document: HandoffDocument;
      /** The sections of the user's template. */
      order: string[];
    } & WrittenHandoff)
  /** Written before the document is moved, so that it can be found in one of the two places at any moment. */
  | { type: "handoff:archived"; handoffNumber: number; documentPath: string }
  | {
      type: "context:handoff:complete";
      agentName: string;
      jobId: string;
      oldSessionId: string;
      newSessionId: string;
      handoffNumber: number;
    }
  /** A hook of the user's was run. */
  | ({ type: "hook"; point: HookPoint; event: HookEvent | "before_run" } & Omit<HookRun, "skipped">)
  /** The session has nothing to do until the person who takes part says something. */
  | { type: "person:awaited"; session: string }
  | { type: "limit:waiting"; session: string; until: number; message: string }
  | { type: "limit:over"; session: string }
  | { type: "retry"; session: string; number: number; of: number; delayMs: number; message: string }
  /** The clock of the machine was set, or the machine slept: so much of the time since the event before was no work. */
  | { type: "clock:moved"; byMs: number }
  /** The programs of an agent run in a container from now on. */
  | { type: "box:opened"; agent: string; container: ContainerRecord }
  /** Something in the job's container tried to reach it, and may not. Once a host. */
  | { type: "box:denied"; host: string }
  /** `about`: what else it concerns than the job; or that a turn came to no good end, and the person who takes part decides. */
  | { type: "warning"; message: string; about?: "budget" | "turn" }
  /** In the place of `removed` events of a job that is over: what all of them came to. */
  | { type: "journal:compacted"; removed: number; summary: Job };

export type JobEventType = JobEvent["type"];

/** An event as it stands in the journal. */
export type JournalEvent = JobEvent & { seq: number; at: string; job: string; attempt: number };
