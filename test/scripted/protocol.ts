import type { SessionSpec } from "../../src/agents/agent.ts";
import type { AgentEvent } from "../../src/agents/events.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../src/agents/permission.ts";

/** What the program is told when it starts, as its one argument. Its environment comes the usual way. */
export type ProgramSpec = Pick<
  SessionSpec,
  | "sessionId"
  | "resume"
  | "model"
  | "systemPrompt"
  | "allowedTools"
  | "deniedTools"
  | "permissionMode"
  | "maxTurns"
  | "readsRepository"
> & {
  ownTools: readonly string[];
  /** Somebody answers where the permissions do not allow a call. */
  asks?: boolean;
  /** What the model knows them by, before their names. */
  ownPrefix?: string;
};

/** From the adapter to the program, one JSON line each. */
export type ToProgram =
  | { type: "send"; text: string }
  | { type: "interrupt" }
  /** The answer to `boundary`. */
  | { type: "boundary"; stop: boolean }
  | { type: "own-tool"; id: string; ok: boolean; text: string }
  | ({ type: "permit"; id: string } & PermissionAnswer)
  | { type: "close" };

/** From the program to the adapter, one JSON line each. */
export type FromProgram =
  | { type: "event"; event: AgentEvent }
  /** All tools of a response have ended: may the turn continue? */
  | { type: "boundary" }
  | { type: "own-tool"; id: string; name: string; input: Record<string, unknown> }
  | { type: "permit"; question: PermissionQuestion };
