import { isFields } from "../../util/json.ts";
import { apiFailure } from "../claude/api-failure.ts";
import type { Outcome } from "../events.ts";

/**
 * Providers word it each in their own way, and pi passes their words on. A limit on requests may speak of tokens too, so it is
 * told apart first.
 */
const LIMITED = /rate.?limit|usage.?limit|too many requests|throttl|resource.?exhausted/i;
const NOTHING_TO_PAY_WITH = /insufficient.?quota|billing|credit balance|out of budget|payment required/i;
const SIGN_IN =
  /no api key|api.?key.{0,40}(?:invalid|incorrect|expired|not valid)|(?:invalid|incorrect).{0,20}api.?key|authenticat|unauthori[sz]ed|permission.?denied|\/login/i;
const TOO_LONG = new RegExp(
  [
    "context.?(?:length|window)",
    "prompt (?:is )?too long",
    "input (?:is )?too long",
    "too many tokens",
    "token (?:count|limit).{0,80}exceed",
    "exceed.{0,80}(?:token|context|input length)",
    "maximum (?:prompt|input|context) length",
    "reduce the length",
    "range of input length",
    "request_too_large",
  ].join("|"),
  "i",
);
const LOST =
  /terminated|connection|network|fetch failed|socket|timed? ?out|timeout|getaddrinfo|ECONN|EPIPE|ENOTFOUND|EHOST|ENET|ended (?:without|before)|other side closed|upstream|did not get a response/i;

/** How a turn ended whose last request failed, by what pi says about it. */
export function failureOf(said: string, now = Date.now()): Outcome {
  const { status, text, resetsAt } = read(said, now);
  const message = worded(status, text);
  const isLimit = status === 429 || LIMITED.test(said);
  if (status === 413 || (!isLimit && TOO_LONG.test(said))) return { kind: "out-of-context", message };
  if (status === 402 || NOTHING_TO_PAY_WITH.test(said)) return { kind: "no-access", message };
  if (isLimit) return { kind: "limited", message, ...(resetsAt !== undefined && { resetsAt }) };
  if (status === 401 || status === 403) return { kind: "no-access", message };
  if (status !== undefined) {
    return { kind: "failed", code: `http_${status}`, message, retryable: status >= 500 || status === 408 };
  }
  if (SIGN_IN.test(said)) return { kind: "no-access", message };
  if (!LOST.test(said)) return { kind: "failed", code: "error", message, retryable: /overload/i.test(said) };
  const lost = `Connection to the API was lost: ${message}`;
  return { kind: "failed", code: "connection_lost", message: lost, retryable: true };
}

/** The status that a failed request was answered with, where it was. */
export function statusIn(said: string): number | undefined {
  const [, status] = /^(?:Error: )?([45]\d\d)\b/.exec(said) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** In words that people read. */
export function plainFailure(said: string): string {
  const { status, text } = read(said, 0);
  return worded(status, text);
}

function worded(status: number | undefined, text: string): string {
  return status === undefined ? text : `${apiFailure(status)}${text === "" ? "" : `: ${text}`}`;
}

interface Failure {
  status: number | undefined;
  text: string;
  resetsAt?: number | undefined;
}

function read(said: string, now: number): Failure {
  const status = statusIn(said);
  const from = said.indexOf("{");
  const body = from < 0 ? undefined : parsed(said.slice(from));
  const error = isFields(body?.error) ? body.error : body;
  const text = typeof error?.message === "string" ? error.message : said.replace(/^\d{3}\b:?\s*/, "");
  return { status, text: text.trim(), resetsAt: resetIn(error, said, now) };
}

/** Most providers tell it in headers alone, which pi does not pass on. */
function resetIn(error: Record<string, unknown> | undefined, said: string, now: number): number | undefined {
  if (typeof error?.resets_at === "number") return error.resets_at * 1000;
  if (typeof error?.resets_in_seconds === "number") return now + error.resets_in_seconds * 1000;
  const [, minutes] = /try again in ~?(\d+) ?min/i.exec(said) ?? [];
  return minutes === undefined ? undefined : now + Number(minutes) * 60_000;
}

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(json);
    return isFields(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
