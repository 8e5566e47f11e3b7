import type {
  CanUseTool,
  HookInput,
  HookJSONOutput,
  ModelUsage,
  SDKMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { SessionSpec } from "../agent.ts";
import type { StartedProgram } from "../started-program.ts";

/** What the program asks while it works. */
export interface Asked {
  /** At one of `HOOKS`. `call`: the tool call that it is about, where it is about one. */
  hook(input: HookInput, call: string | undefined): Promise<HookJSONOutput>;
  /** Missing where nobody is asked. */
  permit?: CanUseTool;
}

export const HOOKS = ["PreToolUse", "PermissionRequest", "ConfigChange", "PostToolBatch"] as const;

/** What the program says of its window, in its own words. */
export interface WindowTold {
  totalTokens: number;
  rawMaxTokens: number;
  isAutoCompactEnabled: boolean;
  autoCompactThreshold?: number | undefined;
}

export interface CostTold {
  session: { total_cost_usd: number; model_usage: Record<string, ModelUsage> };
}

/**
 * A live program of Claude Code, through the SDK or without it: the messages are the same. What it is asked fails where the
 * program has ended, or is too old to answer.
 */
export interface Connection {
  /** Resolves when the program was started, or cannot be. */
  readonly started: Promise<void>;
  readonly program: StartedProgram | undefined;
  readonly messages: AsyncIterable<SDKMessage>;
  send(message: SDKUserMessage): void;
  endInput(): void;
  interrupt(): Promise<unknown>;
  window(): Promise<WindowTold>;
  letCompact(): Promise<unknown>;
  cost(): Promise<CostTold>;
  /** Of a program that has ended. */
  close(): void;
}

export type Connect = (spec: SessionSpec, asked: Asked) => Connection;

/** The program cannot do what a session needs, and trying again would not change that. */
export class UnfitProgramError extends Error {
  override readonly name = "UnfitProgramError";
}
