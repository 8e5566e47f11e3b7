import { describe, expect, it } from "vitest";
import type { Outcome } from "../events.ts";
import { Limits } from "./limits.ts";
import { type Cut, outcomeOf } from "./outcome.ts";

const failed = (codexErrorInfo: unknown, message = "It failed.") =>
  outcomeOf({ status: "failed", error: { message, codexErrorInfo } }, undefined, "", new Limits());

describe("how a turn ends", () => {
  it.each<[unknown, Partial<Outcome>]>([
    ["usageLimitExceeded", { kind: "limited" }],
    ["rateLimitExceeded", { kind: "limited" }],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, { kind: "limited" }],
    ["contextWindowExceeded", { kind: "out-of-context" }],
    [{ httpConnectionFailed: { httpStatusCode: 413 } }, { kind: "out-of-context" }],
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, { kind: "no-access" }],
    ["unauthorized", { kind: "no-access" }],
    ["internalServerError", { kind: "failed", retryable: true }],
    ["serverOverloaded", { kind: "failed", retryable: true }],
    [{ responseStreamDisconnected: { httpStatusCode: null } }, { kind: "failed", retryable: true }],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 502 } }, { kind: "failed", retryable: true }],
    ["badRequest", { kind: "failed", retryable: false }],
    ["modelNotFound", { kind: "failed", retryable: false }],
    ["something new", { kind: "failed", retryable: false }],
    [undefined, { kind: "failed" }],
  ])("%o", (info, outcome) => {
    expect(failed(info)).toMatchObject(outcome);
  });

  it("is out of context also where the service's own code is all there is, and says what the service said", () => {
    const body = { error: { code: "context_length_exceeded", message: "Your input is too long." } };
    expect(failed("other", `unexpected status 400: ${JSON.stringify(body)}`)).toEqual({
      kind: "out-of-context",
      message: "Your input is too long.",
    });
  });

  it("is what Baton cut it short for", () => {
    const cuts: Cut[] = ["stopped", "interrupted", "out-of-context", "max-turns"];
    const kinds = cuts.map((cut) => outcomeOf({ status: "interrupted" }, cut, "", new Limits()).kind);
    expect(kinds).toEqual(cuts);
    expect(outcomeOf({ status: "interrupted" }, undefined, "", new Limits())).toEqual({
      kind: "interrupted",
    });
    // A stop that came too late is none.
    expect(outcomeOf({ status: "completed" }, "stopped", "Done.", new Limits())).toEqual({
      kind: "completed",
      text: "Done.",
    });
  });
});

describe("limits", () => {
  const window = (usedPercent: number, resetsAt: number | null = 100) => ({
    usedPercent,
    windowDurationMins: 300,
    resetsAt,
  });

  it("are told when they come near and when they are reached, each once", () => {
    const limits = new Limits();
    const told = [
      { primary: window(50), secondary: null },
      { primary: window(92), secondary: window(10, 200) },
      { primary: window(93), secondary: window(10, 200) },
      { primary: window(100), secondary: window(100, 200) },
      { primary: null, secondary: null },
    ].map((snapshot) => [...limits.heard(snapshot)]);
    expect(told).toEqual([
      [],
      [{ type: "limit", state: "near", scope: "5 hours", resetsAt: 100_000 }],
      [],
      [{ type: "limit", state: "reached", scope: "5 hours", resetsAt: 100_000 }],
      [],
    ]);
  });

  it("end when all of them have", () => {
    const limits = new Limits();
    expect(limits.resetsAt()).toBeUndefined();
    [...limits.heard({ primary: window(100), secondary: window(100, 200) })];
    expect(limits.resetsAt()).toBe(200_000);
    [...limits.heard({ primary: window(100, null), secondary: window(3, 200) })];
    expect(limits.resetsAt()).toBeUndefined();
  });
});
