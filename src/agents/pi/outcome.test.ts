import { describe, expect, it } from "vitest";
import type { Outcome } from "../events.ts";
import { failureOf, plainFailure } from "./outcome.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

/** As providers word it, through pi. */
const FAILURES: [string, Outcome["kind"], object?][] = [
  ['429: {"code":"rate_limit_exceeded","type":"requests","message":"Rate limit reached."}', "limited"],
  [
    '429 {"type":"error","error":{"type":"rate_limit_error","message":"Too many tokens a minute."}}',
    "limited",
  ],
  ["ThrottlingException: Too many tokens, please wait before trying again.", "limited"],
  [
    "You have hit your ChatGPT usage limit (plus plan). Try again in ~90 min.",
    "limited",
    { resetsAt: NOW + 90 * 60_000 },
  ],
  ['429: {"type":"usage_limit_reached","resets_at":4000000000}', "limited", { resetsAt: 4_000_000_000_000 }],
  ['429: {"code":"insufficient_quota","message":"You exceeded your current quota."}', "no-access"],
  ["400 Your credit balance is too low to access the Anthropic API.", "no-access"],
  ['401: {"code":"invalid_api_key","message":"Incorrect API key provided."}', "no-access"],
  ["No API key found for anthropic.", "no-access"],
  ['Authentication failed for "openai-codex". Credentials may have expired.', "no-access"],
  ["400: prompt is too long: 213462 tokens > 200000 maximum", "out-of-context"],
  [
    '400: {"code":"context_length_exceeded","message":"Please reduce the length of the messages."}',
    "out-of-context",
  ],
  [
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
    "out-of-context",
  ],
  ["413: Request body is too large", "out-of-context"],
  ["terminated", "failed", { code: "connection_lost", retryable: true }],
  ["Connection error.", "failed", { code: "connection_lost", retryable: true }],
  ["getaddrinfo EAI_AGAIN api.example.com", "failed", { retryable: true }],
  [
    '503: {"message":"Our servers are currently overloaded."}',
    "failed",
    { code: "http_503", retryable: true },
  ],
  ['400: {"message":"Unknown parameter: tools[0]"}', "failed", { code: "http_400", retryable: false }],
  ["Something else.", "failed", { code: "error", retryable: false }],
];

describe("a request of pi's that failed", () => {
  it.each(FAILURES)("is told apart: %s", (said, kind, more = {}) => {
    expect(failureOf(said, NOW)).toMatchObject({ kind, ...more });
  });

  it("has no reset time where nobody tells it", () => {
    expect(failureOf("429: Too Many Requests", NOW)).not.toHaveProperty("resetsAt");
  });

  it("is said in words, without the JSON around them", () => {
    expect(plainFailure('500: {"error":{"message":"Sorry about that!"}}')).toBe(
      "The API failed (500): Sorry about that!",
    );
    expect(plainFailure("401: {broken")).toBe("The API refused the credentials (401): {broken");
    expect(plainFailure("terminated")).toBe("terminated");
  });
});
