import { identifier } from "./identifier.ts";
import type { Fault } from "./scenario.ts";

/** An error answer, worded as the real API words it. */
export interface ApiError {
  status: number;
  headers: Record<string, string>;
  body: object;
}

export function apiError(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): ApiError {
  const request_id = identifier("req");
  return {
    status,
    headers: { "request-id": request_id, ...headers },
    body: { type: "error", error: { type, message }, request_id },
  };
}

export function promptTooLong(tokens: number, window: number): ApiError {
  return apiError(400, "invalid_request_error", `prompt is too long: ${tokens} tokens > ${window} maximum`);
}

export function requestTooLarge(): ApiError {
  return apiError(413, "request_too_large", "Request exceeds the maximum size");
}

/** The error that a fault is answered with, or undefined where the fault is in how the answer is sent. */
export function errorOf(fault: Fault): ApiError | undefined {
  switch (fault.kind) {
    case "rate-limit":
      return rateLimited({ "retry-after": String(fault.retryAfterSeconds ?? 1) });
    case "usage-limit":
      return rateLimited({
        "retry-after": String(Math.max(0, Math.ceil(fault.resetsAt - Date.now() / 1000))),
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": String(fault.resetsAt),
        "anthropic-ratelimit-unified-representative-claim": fault.claim ?? "five_hour",
        "anthropic-ratelimit-unified-overage-status": "rejected",
        "anthropic-ratelimit-unified-overage-disabled-reason": "org_level_disabled",
      });
    case "no-credit":
      return apiError(
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      );
    case "unauthorized":
      return apiError(401, "authentication_error", "invalid x-api-key");
    case "too-large":
      return requestTooLarge();
    case "server-error":
      return apiError(500, "api_error", "Internal server error");
    case "overloaded":
      return apiError(529, "overloaded_error", "Overloaded");
    case "stall":
    case "no-usage":
    case "drop":
    case "empty":
      return undefined;
  }
}

/** What an answer says beside itself when there is little left of a plan's allowance. */
export function nearLimit(resetsAt: number): Record<string, string> {
  return {
    "anthropic-ratelimit-unified-status": "allowed_warning",
    "anthropic-ratelimit-unified-reset": String(resetsAt),
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-5h-utilization": "0.95",
    "anthropic-ratelimit-unified-5h-reset": String(resetsAt),
    "anthropic-ratelimit-unified-5h-surpassed-threshold": "0.9",
  };
}

function rateLimited(headers: Record<string, string>): ApiError {
  const message = "This request would exceed your account's rate limit. Please try again later.";
  return apiError(429, "rate_limit_error", message, headers);
}
