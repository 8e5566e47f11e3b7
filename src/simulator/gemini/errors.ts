import type { ApiError } from "../errors.ts";
import type { Fault } from "../scenario.ts";

const TYPES = "type.googleapis.com/google.rpc";
const QUOTA = "generativelanguage.googleapis.com/generate_content_requests";

function geminiError(status: number, name: string, message: string, details?: object[]): ApiError {
  const error = { code: status, message, status: name, ...(details && { details }) };
  return { status, headers: {}, body: { error } };
}

export function invalidArgument(message: string): ApiError {
  return geminiError(400, "INVALID_ARGUMENT", message);
}

export function tooManyTokens(tokens: number, window: number): ApiError {
  return invalidArgument(
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
  );
}

export function withoutKey(): ApiError {
  return geminiError(
    403,
    "PERMISSION_DENIED",
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  );
}

/** The error that a fault is answered with, or undefined where the fault is in how the answer is sent. */
export function geminiErrorOf(fault: Fault): ApiError | undefined {
  switch (fault.kind) {
    case "rate-limit":
      return exhausted("GenerateRequestsPerMinutePerProjectPerModel", fault.retryAfterSeconds ?? 1);
    case "usage-limit":
      return exhausted(
        "GenerateRequestsPerDayPerProjectPerModel",
        Math.max(0, Math.ceil(fault.resetsAt - Date.now() / 1000)),
      );
    case "no-credit":
      return exhausted("GenerateRequestsPerDayPerProjectPerModel-FreeTier");
    case "unauthorized":
      return geminiError(
        401,
        "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
      );
    case "too-large":
      return invalidArgument("Request payload size exceeds the limit: 20971520 bytes.");
    case "server-error":
      return geminiError(500, "INTERNAL", "An internal error has occurred. Please retry.");
    case "overloaded":
      return geminiError(503, "UNAVAILABLE", "The model is overloaded. Please try again later.");
    case "stall":
    case "no-usage":
    case "drop":
    case "empty":
      return undefined;
  }
}

/** By what is used up, programs tell a short wait from a long one. */
function exhausted(quotaId: string, retrySeconds?: number): ApiError {
  return geminiError(
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your current quota, please check your plan and billing details.",
    [
      { "@type": `${TYPES}.QuotaFailure`, violations: [{ quotaMetric: QUOTA, quotaId }] },
      ...(retrySeconds === undefined
        ? []
        : [{ "@type": `${TYPES}.RetryInfo`, retryDelay: `${retrySeconds}s` }]),
    ],
  );
}
