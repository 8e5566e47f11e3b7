import { describe, expect, it } from "vitest";
import { RefusedError } from "../rpc.ts";
import { isDead, outcomeOf, outcomeOfError } from "./outcome.ts";

const signs = (text = "", hasFailed = false) => ({ text, words: text, hasFailed });
const refused = (message: string, data?: unknown, code = -32_603) =>
  outcomeOfError(new RefusedError({ code, message, data }), signs(), undefined);

describe("the end of a turn", () => {
  it("is what Baton asked for, and otherwise what the program says", () => {
    expect(outcomeOf({ stopReason: "cancelled" }, signs(), "boundary")).toEqual({ kind: "stopped" });
    expect(outcomeOf({ stopReason: "cancelled" }, signs(), "interrupt")).toEqual({ kind: "interrupted" });
    expect(outcomeOf({ stopReason: "end_turn" }, signs("Done."), undefined)).toEqual({
      kind: "completed",
      text: "Done.",
    });
    expect(outcomeOf({ stopReason: "max_turn_requests" }, signs(), undefined).kind).toBe("max-turns");
    expect(outcomeOf({ stopReason: "refusal" }, signs(), undefined)).toMatchObject({ retryable: false });
  });

  it.each([
    ["exceeded retry limit, last status: 429 Too Many Requests", "limited"],
    ["Your input exceeds the context window of this model.", "out-of-context"],
    ["unexpected status 413 Payload Too Large: Request body is too large", "out-of-context"],
    ["unexpected status 401 Unauthorized", "no-access"],
    ["stream disconnected before completion: Transport error", "failed"],
    ["Selected model is at capacity. Please try a different model.", "failed"],
  ])("is a failure where an end in order is none: %s", (text, kind) => {
    expect(outcomeOf({ stopReason: "end_turn" }, signs(text, true), undefined).kind).toBe(kind);
  });

  it.each([
    ["Internal error: API Error: 429 Too many requests", { errorKind: "rate_limit" }, "limited"],
    ["Internal error: Prompt is too long", undefined, "out-of-context"],
    ["Internal error: invalid x-api-key", { errorName: "APIError" }, "no-access"],
    ["Internal error: API Error: 529 Overloaded", { errorKind: "server_error" }, "failed"],
    ["Internal error: Reached maximum number of turns (2)", undefined, "max-turns"],
    ["You have hit your usage limit.", { codexErrorInfo: "usageLimitExceeded" }, "limited"],
  ])("is told apart by what the program refuses: %s", (message, data, kind) => {
    expect(refused(message, data).kind).toBe(kind);
  });

  it("is lost access where the program wants to be signed in to, and final where it was asked for nonsense", () => {
    expect(refused("Authentication required", undefined, -32_000).kind).toBe("no-access");
    expect(refused("Invalid params", undefined, -32_602)).toMatchObject({ kind: "failed", retryable: false });
    const authentication = new RefusedError({ code: -32_000, message: "Authentication required" });
    expect(outcomeOfError(authentication, { ...signs("Step 2 of 4."), words: "" }, undefined)).toEqual({
      kind: "no-access",
      message: "Authentication required",
    });
    expect(refused("Something broke")).toMatchObject({ kind: "failed", retryable: true });
  });
});

describe("a program that has lost its agent", () => {
  it("is known by what it answers", () => {
    const error = (message: string, code = -32_603) => new RefusedError({ code, message });
    expect(isDead(error("The Claude Agent process exited unexpectedly. Please start a new session."))).toBe(
      true,
    );
    expect(isDead(error("Resource not found", -32_002))).toBe(true);
    expect(isDead(error("API Error: 529 Overloaded"))).toBe(false);
  });
});
