import { fromJson, isFields } from "../../util/json.ts";
import { HOUR_MS, MINUTE_MS } from "../../util/time.ts";
import type { ApiBudget } from "../source.ts";

/** An hour is the longest window there is; whoever asks for more than two has a broken clock. */
const LONGEST_WAIT_MS = 2 * HOUR_MS;

/** The server's clock, as it said with an answer. */
export function timeOf(headers: Headers): Date | undefined {
  const at = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(at) ? undefined : new Date(at);
}

/** What an answer says is left. Nothing where the server sets no limits. */
export function budgetOf(headers: Headers): ApiBudget {
  const reset = figure(headers, "x-ratelimit-reset");
  return {
    remaining: figure(headers, "x-ratelimit-remaining"),
    limit: figure(headers, "x-ratelimit-limit"),
    resetsAt: reset === null ? null : isoOf(reset * 1_000),
  };
}

/** Until when, by the clock of this machine, nothing more may be asked; undefined for a refusal that has another reason. */
export function limitedUntil(
  { status, headers, text }: { status: number; headers: Headers; text: string },
  now: Date,
): Date | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const wait = waitIn(headers, now) ?? (status === 429 || saysLimited(text) ? MINUTE_MS : undefined);
  return wait === undefined
    ? undefined
    : new Date(now.getTime() + Math.min(LONGEST_WAIT_MS, Math.max(0, wait)));
}

function waitIn(headers: Headers, now: Date): number | undefined {
  const after = headers.get("retry-after");
  if (after !== null) {
    const seconds = Number(after);
    if (after.trim() !== "" && Number.isFinite(seconds)) return seconds * 1_000;
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return date - (timeOf(headers) ?? now).getTime();
  }
  const reset = figure(headers, "x-ratelimit-reset");
  if (figure(headers, "x-ratelimit-remaining") !== 0 || reset === null) return undefined;
  return reset * 1_000 - (timeOf(headers) ?? now).getTime() + 1_000;
}

/** A secondary limit may come without any header: its page and its message are then all that tells it from missing rights. */
function saysLimited(text: string): boolean {
  const body = fromJson(text);
  if (!isFields(body)) return false;
  const { documentation_url: page, message } = body;
  return (
    (typeof page === "string" && /rate-limit/.test(page)) ||
    (typeof message === "string" && /rate limit|abuse detection/i.test(message))
  );
}

function figure(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

function isoOf(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
