import { z } from "zod";
import { withhold } from "../../secrets/withhold.ts";
import { fetchFailure } from "../../util/errors.ts";
import { fromJson } from "../../util/json.ts";
import { oneLine } from "../../util/printable.ts";
import { version } from "../../version.ts";
import { boundedText } from "../bounded-answer.ts";
import { backoffMs, type Clock } from "../clock.ts";
import { UndeliveredError } from "../error.ts";
import type { Rate, RateGates } from "../rate-gates.ts";
import { isOfToken, remedyFor } from "./refusals.ts";

/** Slack said no, and why. Asked again, it would say the same, unless the token is another one by then. */
export class SlackRefusal extends UndeliveredError {
  readonly method: string;
  readonly code: string;

  constructor(method: string, code: string, needed: string | undefined) {
    super(`Slack answered ${code} to ${method}`, remedyFor(code, needed), isOfToken(code));
    this.method = method;
    this.code = code;
  }
}

/** Nobody knows whether Slack did it: the answer broke, or never came. */
export class BrokenAnswer extends UndeliveredError {
  constructor(method: string, why: string) {
    super(`${method} of Slack gave no answer (${why})`, "", true);
  }
}

export type Arguments = Record<string, string | number | boolean | object | undefined>;

interface How {
  signal: AbortSignal;
  /** Done twice, it is done once: it is tried again after an answer that broke. */
  again?: boolean;
}

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_TRIES = 6;
const MOST_HOLDS = 20;
const HOLD_MS = 30_000;

/** Slack's tiers allow so many a minute of each method; posts have a limit for each channel. */
const TIER_2: Rate = { burst: 10, everyMs: 3_000 };
const TIER_3: Rate = { burst: 20, everyMs: 1_200 };
const TIER_4: Rate = { burst: 40, everyMs: 600 };
const POSTS: Rate = { burst: 3, everyMs: 1_000 };
/** That a message was seen is worth something at once: all that Slack allows in a minute may come in its first second. */
const REACTIONS: Rate = { ...TIER_3, burst: 50 };
const RATES: Record<string, Rate> = {
  "chat.postMessage": POSTS,
  "chat.startStream": TIER_2,
  "chat.appendStream": TIER_4,
  "chat.stopStream": TIER_2,
  "reactions.add": REACTIONS,
  "users.info": TIER_4,
  "files.getUploadURLExternal": TIER_4,
  "files.completeUploadExternal": TIER_4,
  "files.info": TIER_4,
  "auth.test": TIER_4,
};

/** What says that something failed on Slack's side, perhaps after it was done. */
const THEIR_FAILURES = new Set(["fatal_error", "internal_error", "service_unavailable", "request_timeout"]);
const LIMITED = new Set(["ratelimited", "rate_limited"]);

const Answer = z.looseObject({
  ok: z.boolean(),
  error: z.string().max(200).optional(),
  needed: z.string().max(500).optional(),
});

interface ApiOptions {
  token: string;
  /** `https://slack.com/api`. */
  base: string;
  clock: Clock;
  random: () => number;
  gates: RateGates;
}

/** About fifteen methods of Slack's Web API, each within its limits. */
export class SlackApi {
  readonly #options: ApiOptions;
  /** What the token may do, as the last answer said. */
  scopes: string[] | undefined;
  /** In seconds, by Slack's clock, as of the last answer. */
  toldAt: number | undefined;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** Whether a call that goes by its method alone would be made at once. */
  isFree(method: string): boolean {
    return this.#options.gates.isFree(method, RATES[method] ?? TIER_3);
  }

  /** `given` is asked for just before each try, after whatever had to be waited for. */
  async call<S extends z.ZodType>(
    method: string,
    given: Arguments | (() => Arguments),
    shape: S,
    { signal, again = true }: How,
  ): Promise<z.output<S>> {
    const { clock, random, gates } = this.#options;
    const rate = RATES[method] ?? TIER_3;
    let holds = 0;
    let failures = 0;
    for (;;) {
      const gate = gateOf(method, given);
      await gates.pass(gate, rate, signal);
      try {
        const got = await this.#once(method, typeof given === "function" ? given() : given, signal);
        if ("waitMs" in got) {
          gates.hold(gate, rate, got.waitMs);
          holds += 1;
          if (holds > MOST_HOLDS) throw new UndeliveredError(`Slack still limits ${method}`, "", true);
          continue;
        }
        const parsed = shape.safeParse(got.answer);
        if (!parsed.success) throw new BrokenAnswer(method, "it is not what Slack answers");
        return parsed.data;
      } catch (error) {
        failures += 1;
        if (!(error instanceof BrokenAnswer) || !again || failures >= MOST_TRIES) throw error;
        await clock.sleep(backoffMs(failures, random), signal);
      }
    }
  }

  async #once(
    method: string,
    given: Arguments,
    signal: AbortSignal,
  ): Promise<{ answer: unknown } | { waitMs: number }> {
    const { response, text } = await this.#send(method, given, signal);
    const { status } = response;
    const answer = Answer.safeParse(fromJson(text));
    const code = answer.success && !answer.data.ok ? (answer.data.error ?? "unknown_error") : undefined;
    if (status === 429 || (code !== undefined && LIMITED.has(code))) {
      return { waitMs: waitAsked(response.headers.get("retry-after")) };
    }
    if (status >= 300 && status < 400) throw new SlackRefusal(method, "redirected", undefined);
    if (!answer.success || status >= 500) throw new BrokenAnswer(method, `status ${status}`);
    if (code !== undefined && THEIR_FAILURES.has(code)) throw new BrokenAnswer(method, oneLine(code));
    if (code !== undefined) {
      const needed = answer.data.needed && withhold(oneLine(answer.data.needed), [this.#options.token]);
      throw new SlackRefusal(method, oneLine(code), needed);
    }
    this.scopes =
      response.headers
        .get("x-oauth-scopes")
        ?.trim()
        .split(/\s*,\s*/) ?? this.scopes;
    const date = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(date)) this.toldAt = date / 1_000;
    return { answer: answer.data };
  }

  async #send(method: string, given: Arguments, signal: AbortSignal) {
    const { base, token } = this.#options;
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined) continue;
      body.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    }
    const headers = { authorization: `Bearer ${token}`, "user-agent": `baton/${version()}` };
    const late = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(`${base}/${method}`, {
        method: "POST",
        headers,
        body,
        redirect: "manual",
        signal: AbortSignal.any([signal, late]),
      });
      return { response, text: await boundedText(response, MOST_BYTES) };
    } catch (error) {
      signal.throwIfAborted();
      const why = late.aborted ? `within ${TIMEOUT_MS} ms` : withhold(fetchFailure(error), [token]);
      throw new BrokenAnswer(method, oneLine(why));
    }
  }
}

function gateOf(method: string, given: Arguments | (() => Arguments)): string {
  if (method !== "chat.postMessage" || typeof given === "function") return method;
  return `${method} ${String(given.channel)}`;
}

function waitAsked(header: string | null): number {
  const seconds = Number(header ?? "");
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : HOLD_MS;
}
