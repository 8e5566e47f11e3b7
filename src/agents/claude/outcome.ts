import type {
  SDKAssistantMessageError,
  SDKRateLimitInfo,
  SDKResultMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { Outcome } from "../events.ts";
import { plainFailure } from "./api-failure.ts";

/** What was seen during the turn and helps to tell its end apart. */
export interface TurnSigns {
  error?: SDKAssistantMessageError;
  errorText?: string;
  limit?: SDKRateLimitInfo;
}

const NO_ACCESS = new Set<SDKAssistantMessageError>([
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "billing_error",
  "cloud_credential_error",
]);

const PERMANENT = new Set<SDKAssistantMessageError>(["invalid_request", "model_not_found"]);

/**
 * The program calls a turn that died of a dead API a "success", so `subtype` says nothing here: only
 * `is_error` and `terminal_reason` do.
 */
export function outcomeOf(result: SDKResultMessage, signs: TurnSigns): Outcome {
  const message = messageOf(result, signs);
  switch (result.terminal_reason) {
    case "hook_stopped":
      return { kind: "stopped" };
    case "aborted_streaming":
    case "aborted_tools":
      return { kind: "interrupted" };
    case "prompt_too_long":
    case "blocking_limit":
    case "rapid_refill_breaker":
      return { kind: "out-of-context", message };
    case "max_turns":
      return { kind: "max-turns", message };
    default:
  }
  if (isTooLarge(result)) return { kind: "out-of-context", message };
  if (result.subtype === "error_max_turns") return { kind: "max-turns", message };
  if (isLimited(result, signs)) {
    const resetsAt = signs.limit?.resetsAt;
    return { kind: "limited", message, ...(resetsAt !== undefined && { resetsAt: resetsAt * 1000 }) };
  }
  if (result.subtype === "success" && !result.is_error && result.terminal_reason !== "api_error") {
    return { kind: "completed", text: result.result };
  }
  if (signs.error && NO_ACCESS.has(signs.error)) return { kind: "no-access", message };
  return {
    kind: "failed",
    code: signs.error ?? result.terminal_reason ?? result.subtype,
    message,
    retryable: isRetryable(result, signs),
  };
}

/** The next request would be as large, and refused again. The program calls it an `image_error`, whatever made it large. */
function isTooLarge(result: SDKResultMessage): boolean {
  return result.is_error && result.subtype === "success" && result.api_error_status === 413;
}

function isLimited(result: SDKResultMessage, signs: TurnSigns): boolean {
  if (!result.is_error) return false;
  if (signs.error === "rate_limit" || signs.limit?.status === "rejected") return true;
  return result.subtype === "success" && result.api_error_status === 429;
}

function isRetryable(result: SDKResultMessage, signs: TurnSigns): boolean {
  if (signs.error && PERMANENT.has(signs.error)) return false;
  if (result.subtype !== "success") return false;
  return result.terminal_reason === "api_error" || result.terminal_reason === "model_error";
}

function messageOf(result: SDKResultMessage, signs: TurnSigns): string {
  const said = result.subtype === "success" ? result.result : result.errors.join("\n");
  return (
    plainFailure(said || signs.errorText || "") ||
    `the turn ended with ${result.terminal_reason ?? result.subtype}`
  );
}
