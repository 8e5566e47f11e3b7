import type {
  ModelUsage,
  Options,
  Query,
  SDKAssistantMessage,
  SDKMessage,
  SDKRateLimitInfo,
  SDKResultMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { expectTypeOf, it } from "vitest";

type System<T extends string> = Extract<SDKMessage, { type: "system"; subtype: T }>;

/** Nothing here runs: `npm run check` fails when an update of the SDK changes what the adapter stands on. */
it("finds in the SDK the types that the adapter relies on", () => {
  expectTypeOf<SDKResultMessage["terminal_reason"]>()
    .extract<"prompt_too_long" | "blocking_limit" | "hook_stopped">()
    .not.toBeNever();
  expectTypeOf<SDKResultMessage["terminal_reason"]>()
    .extract<"aborted_tools" | "aborted_streaming">()
    .not.toBeNever();
  expectTypeOf<SDKResultMessage["terminal_reason"]>().extract<"api_error" | "max_turns">().not.toBeNever();
  expectTypeOf<SDKResultMessage["is_error"]>().toEqualTypeOf<boolean>();
  expectTypeOf<SDKResultMessage["total_cost_usd"]>().toEqualTypeOf<number>();
  expectTypeOf<SDKResultMessage["modelUsage"]>().toEqualTypeOf<Record<string, ModelUsage>>();
  expectTypeOf<ModelUsage["contextWindow"]>().toEqualTypeOf<number>();

  expectTypeOf<SDKAssistantMessage["parent_tool_use_id"]>().toEqualTypeOf<string | null>();
  expectTypeOf<NonNullable<SDKAssistantMessage["error"]>>()
    .extract<"rate_limit" | "authentication_failed">()
    .not.toBeNever();
  expectTypeOf<SDKUserMessage["client_composed"]>().toEqualTypeOf<true | undefined>();
  expectTypeOf<SDKRateLimitInfo["resetsAt"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<SDKRateLimitInfo["status"]>().toEqualTypeOf<"allowed" | "allowed_warning" | "rejected">();

  expectTypeOf<System<"init">["model"]>().toEqualTypeOf<string>();
  expectTypeOf<System<"compact_boundary">["compact_metadata"]["pre_tokens"]>().toEqualTypeOf<number>();
  expectTypeOf<System<"session_state_changed">["state"]>().extract<"idle">().toEqualTypeOf<"idle">();
  expectTypeOf<System<"background_tasks_changed">["tasks"][number]["task_id"]>().toEqualTypeOf<string>();
  expectTypeOf<System<"permission_denied">["tool_use_id"]>().toEqualTypeOf<string>();

  expectTypeOf<Options["sessionId"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Options["resume"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Options["permissionPrompts"]>().extract<"none">().toEqualTypeOf<"none">();
  expectTypeOf<NonNullable<Options["hooks"]>>().toHaveProperty("PostToolBatch");
  expectTypeOf<Options>().toHaveProperty("spawnClaudeCodeProcess");
  expectTypeOf<Query["interrupt"]>().toBeFunction();
  expectTypeOf<Awaited<ReturnType<Query["getContextUsage"]>>["rawMaxTokens"]>().toEqualTypeOf<number>();
});
