import { setTimeout as delay } from "node:timers/promises";
import { withhold } from "../../secrets/withhold.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { oneLine } from "../../util/printable.ts";
import { HOUR_MS, MINUTE_MS } from "../../util/time.ts";
import { version } from "../../version.ts";
import { BrokenExchange, exchange, type Received, UnusableAnswer } from "../exchange.ts";
import { type ApiBudget, SourceError, type SourceProblemCode } from "../source.ts";

export interface LinearOptions {
  apiUrl: string;
  token: string | undefined;
  /** Where the token stands, for whoever has to correct it. */
  from: string;
  timeoutMs?: number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  now?: () => Date;
}

export interface Operation {
  query: string;
  variables?: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
}

const TIMEOUT_MS = 20_000;
const BACKOFF_MS = [500, 2_000];
/** Its window is an hour; whoever asks for more than two has a broken clock. */
const LONGEST_WAIT_MS = 2 * HOUR_MS;

/** The way to one Linear. Every operation may be repeated: what is created has an id that was made here. */
export class LinearApi {
  readonly url: URL;
  readonly now: () => Date;
  readonly #token: string;
  readonly #timeoutMs: number;
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  #budget: ApiBudget = { remaining: null, limit: null, resetsAt: null };
  #serverTime: Date | undefined;
  #limitedUntil: Date | undefined;

  constructor({ apiUrl, token, from, timeoutMs = TIMEOUT_MS, sleep = pause, now = clock }: LinearOptions) {
    this.url = addressOf(apiUrl);
    if (token === undefined || !/^[\x21-\x7e]{8,500}$/.test(token)) {
      const why = token === undefined ? "is not set" : "holds no key of Linear's";
      throw new SourceError("no-access", `${from} ${why}. Make a key under Security & access in Linear.`);
    }
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#sleep = sleep;
    this.now = now;
  }

  get budget(): ApiBudget {
    return this.#budget;
  }

  get serverTime(): Date | undefined {
    return this.#serverTime;
  }

  /** What stands in `data`. Everything that is not whole is a SourceError. */
  async ask({ query, variables = {}, signal }: Operation): Promise<unknown> {
    const body = JSON.stringify({ query, variables });
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      this.#holdBack();
      const got = await this.#attempt(body, signal);
      if (!(got instanceof BrokenExchange)) this.#learn(got);
      if (!(got instanceof BrokenExchange) && got.status < 500) return this.#dataIn(got);
      const waitMs = BACKOFF_MS[attempt];
      if (waitMs === undefined) {
        const why = got instanceof BrokenExchange ? got.message : `${this.url.host} answered ${got.status}`;
        throw new SourceError("unreachable", `${why}.`);
      }
      await this.#sleep(waitMs, signal);
    }
  }

  async #attempt(body: string, signal: AbortSignal): Promise<Received | BrokenExchange> {
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": `baton/${version()}`,
      // A key of a person's stands alone; what an OAuth app was given is a bearer's.
      authorization: this.#token.startsWith("lin_api_") ? this.#token : `Bearer ${this.#token}`,
    };
    try {
      const { url } = this;
      return await exchange({ method: "POST", url, headers, body, signal, timeoutMs: this.#timeoutMs });
    } catch (error) {
      if (error instanceof BrokenExchange) return error;
      if (error instanceof UnusableAnswer) throw new SourceError("refused", error.message);
      throw error;
    }
  }

  #learn({ headers }: Received): void {
    const at = Date.parse(headers.get("date") ?? "");
    if (!Number.isNaN(at)) this.#serverTime = new Date(at);
    const remaining = figure(headers, "x-ratelimit-requests-remaining");
    if (remaining === null) return;
    const reset = figure(headers, "x-ratelimit-requests-reset");
    this.#budget = {
      remaining,
      limit: figure(headers, "x-ratelimit-requests-limit"),
      resetsAt: reset === null ? null : new Date(reset).toISOString(),
    };
  }

  #holdBack(): void {
    const until = this.#limitedUntil;
    if (until === undefined) return;
    if (until <= this.now()) this.#limitedUntil = undefined;
    else throw this.#limited(until);
  }

  #limited(until: Date): SourceError {
    const message = `${this.url.host} lets this account ask nothing more until ${until.toISOString()}.`;
    return new SourceError("limited", message, until);
  }

  #dataIn(got: Received): unknown {
    const said = fromJson(got.text);
    const errors = isFields(said) && Array.isArray(said.errors) ? said.errors.filter(isFields) : [];
    const [first] = errors;
    if (!first && isFields(said) && isFields(said.data) && got.status < 300) return this.#done(said.data);
    if (errors.some((error) => wordsOf(error).has("ratelimited")) || got.status === 429) {
      this.#limitedUntil = this.#untilOf(got.headers);
      throw this.#limited(this.#limitedUntil);
    }
    if (!first && got.status < 300) {
      throw new SourceError(
        "refused",
        `${this.url.host} does not answer as Linear does. Is it the address of its API?`,
      );
    }
    throw new SourceError(codeOf(got.status, first), this.#refusal(got.status, first));
  }

  /** A change that was not made is no answer either. */
  #done(data: Record<string, unknown>): Record<string, unknown> {
    const undone = Object.entries(data).find(([, value]) => isFields(value) && value.success === false);
    if (!undone) return data;
    throw new SourceError(
      "refused",
      `${this.url.host} did not carry out ${undone[0]}, and does not say why.`,
    );
  }

  /** A limit ends by the server's clock. */
  #untilOf(headers: Headers): Date {
    const seconds = figure(headers, "retry-after");
    const limits = ["requests", "complexity"].map((what) => ({
      left: figure(headers, `x-ratelimit-${what}-remaining`),
      reset: figure(headers, `x-ratelimit-${what}-reset`),
    }));
    const met = limits.filter(({ left }) => left === 0);
    const resets = (met.length > 0 ? met : limits).flatMap(({ reset }) => reset ?? []);
    const now = this.now().getTime();
    const serverNow = this.#serverTime?.getTime() ?? now;
    const wait = resets.length > 0 ? Math.max(...resets) - serverNow : MINUTE_MS;
    const ms = seconds === null ? wait : seconds * 1_000;
    return new Date(now + Math.min(LONGEST_WAIT_MS, Math.max(1_000, ms)));
  }

  #refusal(status: number, error: Record<string, unknown> | undefined): string {
    const { extensions } = error ?? {};
    const shown = isFields(extensions) ? extensions.userPresentableMessage : undefined;
    const words = typeof shown === "string" ? shown : typeof error?.message === "string" ? error.message : "";
    const said = withhold(oneLine(words).slice(0, 300).replace(/\.$/, ""), [this.#token]);
    const remedy =
      status === 401 || isLostAccess(error) ? " The key is wrong or revoked: make a new one." : "";
    return `${this.url.host} answered ${status}${said === "" ? "" : `: ${said}`}.${remedy}`;
  }
}

/** By what Linear itself calls it, in either of two places. */
function wordsOf({ extensions }: Record<string, unknown>): Set<string> {
  if (!isFields(extensions)) return new Set();
  const { code, type } = extensions;
  return new Set([code, type].flatMap((word) => (typeof word === "string" ? [word.toLowerCase()] : [])));
}

function isLostAccess(error: Record<string, unknown> | undefined): boolean {
  const words = error ? wordsOf(error) : new Set();
  return words.has("authentication_error") || words.has("authentication error");
}

function codeOf(status: number, error: Record<string, unknown> | undefined): SourceProblemCode {
  const words = error ? wordsOf(error) : new Set();
  if (status === 401 || status === 403 || isLostAccess(error) || words.has("forbidden")) return "no-access";
  return "refused";
}

function addressOf(text: string): URL {
  const url = URL.parse(text);
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url && isPlain && /^https?:$/.test(url.protocol)) return url;
  throw new SourceError(
    "refused",
    "api_url is not the address of an API. Linear's is https://api.linear.app/graphql.",
  );
}

function figure(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  return text !== null && /^\d{1,13}$/.test(text) ? Number(text) : null;
}

const clock = () => new Date();
const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
