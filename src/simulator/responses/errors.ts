import type { ApiError } from "../errors.ts";
import type { Fault } from "../scenario.ts";

const WINDOW_MINUTES = { five_hour: 300, seven_day: 10_080 };

export function responsesError(
  status: number,
  error: { type: string; message: string; code?: string; param?: string | null; [more: string]: unknown },
  headers: Record<string, string> = {},
): ApiError {
  return { status, headers, body: { error: { code: null, param: null, ...error } } };
}

export function contextLengthExceeded(): ApiError {
  return responsesError(400, {
    type: "invalid_request_error",
    code: "context_length_exceeded",
    param: "input",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  });
}

export function invalidKey(): ApiError {
  return responsesError(401, {
    type: "invalid_request_error",
    code: "invalid_api_key",
    message: "Incorrect API key provided.",
  });
}

/** The error that a fault is answered with, or undefined where the fault is in how the answer is sent. */
export function responsesErrorOf(fault: Fault): ApiError | undefined {
  switch (fault.kind) {
    case "rate-limit":
      return responsesError(
        429,
        {
          type: "requests",
          code: "rate_limit_exceeded",
          message: "Rate limit reached. Please try again later.",
        },
        { "retry-after": String(fault.retryAfterSeconds ?? 1) },
      );
    case "usage-limit": {
      const { resetsAt, claim = "five_hour" } = fault;
      const window = claim === "five_hour" ? "primary" : "secondary";
      return responsesError(
        429,
        {
          type: "usage_limit_reached",
          message: "The usage limit has been reached",
          plan_type: "plus",
          resets_at: resetsAt,
        },
        {
          [`x-codex-${window}-used-percent`]: "100",
          [`x-codex-${window}-window-minutes`]: String(WINDOW_MINUTES[claim]),
          [`x-codex-${window}-reset-at`]: String(resetsAt),
        },
      );
    }
    case "no-credit":
      return responsesError(429, {
        type: "insufficient_quota",
        code: "insufficient_quota",
        message: "You exceeded your current quota, please check your plan and billing details.",
      });
    case "unauthorized":
      return invalidKey();
    case "too-large":
      return responsesError(413, { type: "invalid_request_error", message: "Request body is too large" });
    case "server-error":
      return responsesError(500, {
        type: "server_error",
        message: "The server had an error while processing your request. Sorry about that!",
      });
    case "overloaded":
      return responsesError(503, {
        type: "server_error",
        code: "server_is_overloaded",
        message: "Our servers are currently overloaded. Please try again later.",
      });
    case "stall":
    case "no-usage":
    case "drop":
    case "empty":
      return undefined;
  }
}
