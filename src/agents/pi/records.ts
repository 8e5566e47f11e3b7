import { z } from "zod";
import type { TokenUsage } from "../events.ts";

/** What pi prints in RPC mode, as far as Baton reads it. */
export type PiRecord =
  | { type: "response"; id?: string; command: string; success: boolean; data?: unknown; error?: string }
  | { type: "extension_ui_request"; id: string; method: string; title?: string; placeholder?: string }
  | { type: "extension_error"; event: string; error: string }
  | { type: "message_update"; assistantMessageEvent: { type: string; delta?: string } }
  | { type: "message_end"; message: PiMessage }
  | { type: "tool_execution_end"; toolCallId: string; result: ToolResult; isError: boolean }
  | { type: "compaction_end"; result?: { tokensBefore?: number; estimatedTokensAfter?: number } }
  | { type: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }
  | { type: "agent_settled" };

const block = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("toolCall"), id: z.string(), name: z.string(), arguments: z.unknown() }),
  z.object({ type: z.enum(["thinking", "image"]) }),
]);

const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cacheWrite1h: z.number().optional(),
  cost: z.object({ total: z.number() }),
});

const toolResult = z.object({ content: z.array(block), details: z.unknown().optional() });

const assistantMessage = z.object({
  role: z.literal("assistant"),
  content: z.array(block),
  provider: z.string(),
  model: z.string(),
  usage: usage.optional(),
  stopReason: z.string(),
  errorMessage: z.string().optional(),
  timestamp: z.number(),
  responseId: z.string().optional(),
});

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(block)]) }),
  assistantMessage,
  toolResult.extend({ role: z.literal("toolResult"), toolCallId: z.string(), isError: z.boolean() }),
]);

/** A line of a session file, as far as Baton reads it. */
export const sessionEntry = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), timestamp: z.string().optional(), message }),
  z.object({ type: z.literal("compaction"), tokensBefore: z.number().optional() }),
  z.object({ type: z.literal("session_info"), name: z.string().optional() }),
]);

export type SessionEntry = z.infer<typeof sessionEntry>;
type PiMessage = z.infer<typeof message> | { role: "system" };
export type AssistantMessage = z.infer<typeof assistantMessage>;
export type ToolResult = z.infer<typeof toolResult>;
type Block = z.infer<typeof block>;

/** Answers to questions about its state. */
export interface PiState {
  model?: PiModel;
  autoCompactionEnabled: boolean;
}

export interface PiModel {
  id: string;
  provider: string;
  contextWindow: number;
}

export interface PiStats {
  cost: number;
  /** Unknown right after a compaction. */
  contextUsage?: { tokens: number | null; contextWindow: number };
}

export function textOf(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** As a user names it: `provider/id`. */
export function modelName({ provider, model }: { provider: string; model: string }): string {
  return `${provider}/${model}`;
}

/** Undefined where nothing was counted: the API did not tell, or never answered. */
export function tokensOf({ usage }: AssistantMessage): TokenUsage | undefined {
  if (!usage || usage.input + usage.cacheRead + usage.cacheWrite === 0) return undefined;
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = usage;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...(cacheWrite1h && { cacheWriteHour: cacheWrite1h }),
  };
}
