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
import { remedyFor } from "./refusals.ts";

/** Discord said no, and why. Asked again, it would say the same, unless the token is another one by then. */
export class DiscordRefusal extends UndeliveredError {
  readonly status: number;
  readonly code: number;

  constructor(what: string, status: number, code: number, message: string) {
    const mayPass = status === 401;
    super(
      `Discord answered ${status} to ${what} (${message}, code ${code})`,
      remedyFor(status, code),
      mayPass,
    );
    this.status = status;
    this.code = code;
  }
}

/** Nobody knows whether Discord did it: the answer broke, or never came. */
class BrokenAnswer extends UndeliveredError {
  constructor(what: string, why: string) {
    super(`Discord gave no answer to ${what} (${why})`, "", true);
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface How {
  signal: AbortSignal;
  /** Asked for just before each try, after whatever had to be waited for. */
  body?: () => object;
  file?: { name: string; content: string } | undefined;
  /** How often it is tried where nobody answers. */
  tries?: number;
}

const TIMEOUT_MS = 15_000;
const UPLOAD_MS = 120_000;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_TRIES = 6;
const MOST_HOLDS = 20;
const HOLD_MS = 5_000;

/** Discord says by headers what a route allows; this only spreads what comes before it has. */
const ROUTE: Rate = { burst: 20, everyMs: 50 };
/** Of a bot, over all routes: fifty a second. */
const GLOBAL: Rate = { burst: 45, everyMs: 22 };

const Refusal = z.object({ code: z.number().optional(), message: z.string().max(2_000).optional() });
const Limited = z.object({ retry_after: z.number().nonnegative(), global: z.boolean().optional() });

interface RestOptions {
  token: string;
  /** `https://discord.com/api/v10`. */
  base: string;
  clock: Clock;
  random: () => number;
  gates: RateGates;
}

/** The calls of Discord's API, each within the limits that Discord names. Every call can be repeated: posts carry a nonce. */
export class Rest {
  readonly #options: RestOptions;
  /** Which routes share a limit, as Discord said. */
  readonly #buckets = new Map<string, string>();

  constructor(options: RestOptions) {
    this.#options = options;
  }

  async call<S extends z.ZodType>(method: Method, path: string, shape: S, how: How): Promise<z.output<S>> {
    const { clock, random, gates } = this.#options;
    const { route, whose, isBounded } = routeOf(method, path);
    let holds = 0;
    for (let tries = 1; ; tries++) {
      const gate = `${this.#buckets.get(route) ?? route} ${whose}`;
      if (isBounded) {
        await gates.pass(gate, ROUTE, how.signal);
        await gates.pass("everything", GLOBAL, how.signal);
      }
      try {
        const { response, text } = await this.#send(method, path, route, how);
        this.#learn(route, whose, response.headers);
        if (response.status === 429) {
          const { data } = Limited.safeParse(fromJson(text));
          const ms = data ? data.retry_after * 1_000 : waitAsked(response.headers.get("retry-after"));
          if (data?.global || response.headers.get("x-ratelimit-global") === "true")
            gates.hold("everything", GLOBAL, ms);
          else gates.hold(gate, ROUTE, ms);
          holds += 1;
          tries -= 1;
          if (holds > MOST_HOLDS) throw new UndeliveredError(`Discord still limits ${route}`, "", true);
          continue;
        }
        return this.#answer(route, response, text, shape);
      } catch (error) {
        if (!(error instanceof BrokenAnswer) || tries >= (how.tries ?? MOST_TRIES)) throw error;
        await clock.sleep(backoffMs(tries, random), how.signal);
      }
    }
  }

  #answer<S extends z.ZodType>(route: string, response: Response, text: string, shape: S): z.output<S> {
    const { status } = response;
    if (status >= 500) throw new BrokenAnswer(route, `status ${status}`);
    if (!response.ok) {
      const { code = 0, message = "no reason given" } = Refusal.safeParse(fromJson(text)).data ?? {};
      const why = withhold(oneLine(message).slice(0, 200), [this.#options.token]);
      throw new DiscordRefusal(route, status, code, why);
    }
    const parsed = shape.safeParse(status === 204 ? undefined : fromJson(text));
    if (!parsed.success) throw new BrokenAnswer(route, "it is not what Discord answers");
    return parsed.data;
  }

  /** No more go there before the time that Discord names. */
  #learn(route: string, whose: string, headers: Headers): void {
    const bucket = headers.get("x-ratelimit-bucket");
    if (bucket !== null) this.#buckets.set(route, bucket.slice(0, 200));
    if (headers.get("x-ratelimit-remaining") !== "0") return;
    const ms = Number(headers.get("x-ratelimit-reset-after")) * 1_000;
    if (ms > 0) this.#options.gates.hold(`${this.#buckets.get(route) ?? route} ${whose}`, ROUTE, ms);
  }

  async #send(method: Method, path: string, route: string, { signal, body, file }: How) {
    const { base, token } = this.#options;
    const headers: Record<string, string> = {
      authorization: `Bot ${token}`,
      // The form that Discord asks for; it may block others.
      "user-agent": `DiscordBot (baton, ${version()})`,
    };
    const given = body && JSON.stringify(body());
    if (given !== undefined && !file) headers["content-type"] = "application/json";
    const late = AbortSignal.timeout(file ? UPLOAD_MS : TIMEOUT_MS);
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        headers,
        ...(given !== undefined && { body: file ? formOf(given, file) : given }),
        redirect: "manual",
        signal: AbortSignal.any([signal, late]),
      });
      return { response, text: await boundedText(response, MOST_BYTES) };
    } catch (error) {
      signal.throwIfAborted();
      const why = late.aborted ? "it took too long" : withhold(fetchFailure(error), [token]);
      throw new BrokenAnswer(route, oneLine(why));
    }
  }
}

function formOf(json: string, { name, content }: { name: string; content: string }): FormData {
  const form = new FormData();
  form.set("payload_json", json);
  form.set("files[0]", new Blob([content], { type: "text/plain; charset=utf-8" }), name);
  return form;
}

/** Limits are by route, and by the channel, server or webhook that it is about. What is secret in a path stays out of it. */
function routeOf(method: Method, path: string): { route: string; whose: string; isBounded: boolean } {
  const [, area = "", whose = "", ...rest] = path.split("?", 1)[0]?.split("/") ?? [];
  if (area === "interactions")
    return { route: `${method} /interactions/:id/callback`, whose, isBounded: false };
  if (area === "webhooks") return { route: `${method} /webhooks/:id/:token`, whose, isBounded: true };
  const parts = rest.map((part, index) =>
    /^\d{5,}$/.test(part) || rest[index - 1] === "reactions" ? ":id" : part,
  );
  const isId = /^\d{5,}$/.test(whose);
  return {
    route: `${method} /${[area, isId ? ":id" : whose, ...parts].filter(Boolean).join("/")}`,
    whose: isId ? whose : "",
    isBounded: true,
  };
}

function waitAsked(header: string | null): number {
  const seconds = Number(header ?? "");
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : HOLD_MS;
}
