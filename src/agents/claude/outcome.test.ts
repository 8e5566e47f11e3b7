import type { SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "./outcome.ts";

type Success = Extract<SDKResultMessage, { subtype: "success" }>;

function createResult(fields: Partial<Success>): SDKResultMessage {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "Done.",
    ...fields,
  } as SDKResultMessage;
}

function createError(
  subtype: "error_max_turns" | "error_during_execution",
  errors: string[],
): SDKResultMessage {
  return { type: "result", subtype, is_error: true, errors } as SDKResultMessage;
}

describe("a turn of Claude Code", () => {
  it("is completed only when the program says so and reports no error", () => {
    expect(outcomeOf(createResult({ terminal_reason: "completed" }), {})).toEqual({
      kind: "completed",
      text: "Done.",
    });
  });

  it("that died of the API is failed, though the program calls it a success", () => {
    const result = createResult({ is_error: true, terminal_reason: "api_error", result: "API Error: 500" });
    expect(outcomeOf(result, { error: "server_error" })).toEqual({
      kind: "failed",
      code: "server_error",
      message: "The API failed (500)",
      retryable: true,
    });
  });

  it.each(["authentication_failed", "account_on_hold", "billing_error"] as const)(
    "that the account has no access for is told as that: %s",
    (error) => {
      const result = createResult({ is_error: true, terminal_reason: "api_error", result: "No." });
      expect(outcomeOf(result, { error })).toEqual({ kind: "no-access", message: "No." });
    },
  );

  it.each(["model_not_found", "invalid_request"] as const)(
    "that was refused for %s is not worth another try",
    (error) => {
      const result = createResult({ is_error: true, terminal_reason: "api_error" });
      expect(outcomeOf(result, { error })).toMatchObject({ kind: "failed", code: error, retryable: false });
    },
  );

  it("is limited when the plan is used up, with the time of the reset", () => {
    const result = createResult({ is_error: true, terminal_reason: "api_error", api_error_status: 429 });
    const limit = { status: "rejected", resetsAt: 1_794_800_000 } as const;
    expect(outcomeOf(result, { error: "rate_limit", limit })).toEqual({
      kind: "limited",
      message: "Done.",
      resetsAt: 1_794_800_000_000,
    });
  });

  it("is limited at a 429 that tells no reset", () => {
    const result = createResult({ is_error: true, terminal_reason: "api_error", api_error_status: 429 });
    expect(outcomeOf(result, {})).toEqual({ kind: "limited", message: "Done." });
  });

  it.each(["prompt_too_long", "blocking_limit", "rapid_refill_breaker"] as const)(
    "is out of context at %s",
    (reason) => {
      const result = createResult({ is_error: true, terminal_reason: reason, result: "Prompt is too long" });
      expect(outcomeOf(result, {})).toEqual({ kind: "out-of-context", message: "Prompt is too long" });
    },
  );

  it("is out of context when its request is too large for the API, whatever the program blames", () => {
    const result = createResult({
      is_error: true,
      terminal_reason: "image_error",
      api_error_status: 413,
      result: "Request too large (max 32MB).",
    });
    expect(outcomeOf(result, { error: "invalid_request" })).toEqual({
      kind: "out-of-context",
      message: "Request too large (max 32MB).",
    });
  });

  it("tells a stop at a boundary from an interrupt", () => {
    expect(outcomeOf(createResult({ terminal_reason: "hook_stopped" }), {}).kind).toBe("stopped");
    expect(outcomeOf(createResult({ terminal_reason: "aborted_tools" }), {}).kind).toBe("interrupted");
    expect(outcomeOf(createResult({ terminal_reason: "aborted_streaming" }), {}).kind).toBe("interrupted");
  });

  it("that used up its turns says so", () => {
    expect(outcomeOf(createError("error_max_turns", ["Reached maximum number of turns (3)"]), {})).toEqual({
      kind: "max-turns",
      message: "Reached maximum number of turns (3)",
    });
  });

  it("that failed in any other way is failed, with what the program said", () => {
    expect(outcomeOf(createError("error_during_execution", ["boom"]), {})).toEqual({
      kind: "failed",
      code: "error_during_execution",
      message: "boom",
      retryable: false,
    });
  });
});
