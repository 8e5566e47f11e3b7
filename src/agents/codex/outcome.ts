import { isFields } from "../../util/json.ts";
import type { Outcome } from "../events.ts";
import type { Fields } from "./connection.ts";
import type { Limits } from "./limits.ts";

/** Why Baton ended a turn before its time. */
export type Cut = "stopped" | "interrupted" | "out-of-context" | "max-turns";

/** How a turn ended, by what the program says of it, by why it was cut short, and by what it said last. */
export function outcomeOf(turn: Fields, cut: Cut | undefined, text: string, limits: Limits): Outcome {
  if (turn.status === "completed") return { kind: "completed", text };
  if (turn.status === "interrupted") return cutShort(cut);
  return failure(isFields(turn.error) ? turn.error : {}, limits);
}

function cutShort(cut: Cut = "interrupted"): Outcome {
  switch (cut) {
    case "out-of-context":
      return { kind: cut, message: "The window is full, and Codex was about to compact it" };
    case "max-turns":
      return { kind: cut, message: "The turn had as many answers as it may have" };
    default:
      return { kind: cut };
  }
}

const TOO_LONG = /context_length_exceeded|context window|413 Payload Too Large/i;
const RETRYABLE = new Set([
  "internalServerError",
  "serverOverloaded",
  "policyCapacityUnavailable",
  "flexUnavailable",
]);

function failure(
  { message: said, codexErrorInfo: info, additionalDetails }: Fields,
  limits: Limits,
): Outcome {
  const { code, status } = codeOf(info);
  const words = [said, additionalDetails].filter((each) => typeof each === "string").join("\n");
  const message = plain(words) || `the turn ended with ${code}`;
  if (code === "contextWindowExceeded" || status === 413 || TOO_LONG.test(words))
    return { kind: "out-of-context", message };
  if (code === "usageLimitExceeded") {
    const resetsAt = limits.resetsAt();
    return { kind: "limited", message, ...(resetsAt !== undefined && { resetsAt }) };
  }
  if (code === "rateLimitExceeded" || status === 429) return { kind: "limited", message };
  if (code === "unauthorized" || status === 401 || status === 403) return { kind: "no-access", message };
  const isLost = status === undefined && LOST.has(code);
  const retryable = isLost || RETRYABLE.has(code) || (status !== undefined && status >= 500);
  return { kind: "failed", code, message, retryable };
}

/** Codes of a connection that broke. What the program has no word for, it calls `other`. */
const LOST = new Set([
  "other",
  "httpConnectionFailed",
  "responseStreamConnectionFailed",
  "responseStreamDisconnected",
  "responseTooManyFailedAttempts",
]);

/** A word, or a word with the status of the answer. */
export function codeOf(info: unknown): { code: string; status?: number } {
  if (typeof info === "string") return { code: info };
  const [[code, more] = ["other", undefined]] = Object.entries(isFields(info) ? info : {});
  const status = isFields(more) ? more.httpStatusCode : undefined;
  return { code, ...(typeof status === "number" && { status }) };
}

/** Without the address that was asked, and without the JSON around what the service said. */
export function plain(message: string): string {
  const [, said] = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
  if (said !== undefined) return String(JSON.parse(said));
  const text = message.replace(/,? url: \S+/g, "").trim();
  return /^stream disconnected|error sending request|connection (?:closed|reset)/i.test(text)
    ? `Connection to the API was lost: ${text}`
    : text;
}
