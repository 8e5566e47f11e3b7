import { setTimeout as delay } from "node:timers/promises";
import { withhold } from "../../secrets/withhold.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { oneLine } from "../../util/printable.ts";
import { version } from "../../version.ts";
import { BrokenExchange, exchange, type Received, UnusableAnswer } from "../exchange.ts";
import { type ApiBudget, SourceError } from "../source.ts";
import { budgetOf, limitedUntil, timeOf } from "./limits.ts";
import type { SignIn } from "./sign-in.ts";

export interface Question {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the address of the API, or a whole address that the API gave. */
  path: string;
  body?: object;
  etag?: string | undefined;
  signal: AbortSignal;
  /** Done twice it is more than done once: what broke is an `UnclearError` then, and not tried again. */
  once?: boolean;
}

export interface Answer {
  status: number;
  body: unknown;
  headers: Headers;
  etag?: string;
  /** Pages of the same list. */
  next?: string;
  last?: string;
  redirectedTo?: URL;
}

/** The server refused, and its status says more than the code does. */
export class RefusedError extends SourceError {
  readonly status: number;

  constructor(code: SourceError["code"], message: string, status: number) {
    super(code, message);
    this.status = status;
  }
}

/** Whether what a request is about still exists: a person may have deleted it. */
export async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof RefusedError && (error.status === 404 || error.status === 410)) return false;
    throw error;
  }
}

/** Whether it was done is not known: whoever asked looks before it is done again. */
export class UnclearError extends SourceError {}

export interface ConnectionOptions {
  apiUrl: string;
  signIn: SignIn;
  timeoutMs?: number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  now?: () => Date;
}

const TIMEOUT_MS = 20_000;
const BACKOFF_MS = [500, 2_000];
const API_VERSION = "2022-11-28";

/** The way to one GitHub, with one sign-in. It keeps to the limits that the server names, and repeats only what may be repeated. */
export class GitHubConnection {
  readonly apiUrl: URL;
  readonly now: () => Date;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly #signIn: SignIn;
  readonly #timeoutMs: number;
  #budget: ApiBudget = { remaining: null, limit: null, resetsAt: null };
  #serverTime: Date | undefined;
  #limitedUntil: Date | undefined;
  #token = "";

  constructor({
    apiUrl,
    signIn,
    timeoutMs = TIMEOUT_MS,
    sleep = pause,
    now = () => new Date(),
  }: ConnectionOptions) {
    this.apiUrl = addressOf(apiUrl);
    this.#signIn = signIn;
    this.#timeoutMs = timeoutMs;
    this.sleep = sleep;
    this.now = now;
  }

  get budget(): ApiBudget {
    return this.#budget;
  }

  get serverTime(): Date | undefined {
    return this.#serverTime;
  }

  /** Answers that are good, and 304. Everything else is a SourceError. */
  async ask(question: Question): Promise<Answer> {
    const url = this.#urlOf(question.path);
    let isRenewed = false;
    for (let attempt = 0; ; attempt++) {
      question.signal.throwIfAborted();
      this.#holdBack();
      const waitMs = BACKOFF_MS[attempt];
      const got = await this.#attempt(question, url);
      if (got instanceof BrokenExchange) {
        if (question.once) throw new UnclearError("unreachable", `${got.message}.`);
        if (waitMs === undefined) throw new SourceError("unreachable", `${got.message}.`);
        await this.sleep(waitMs, question.signal);
        continue;
      }
      this.#learn(got);
      if (got.status < 300 || got.status === 304) return answerOf(got, url);
      if (got.status >= 500) {
        const message = `${url.host} answered ${got.status} to ${named(question, url)}.`;
        if (question.once) throw new UnclearError("unreachable", message);
        if (waitMs === undefined) throw new SourceError("unreachable", message);
        await this.sleep(waitMs, question.signal);
        continue;
      }
      if (got.status === 401 && !isRenewed && this.#signIn.renew?.()) {
        isRenewed = true;
        continue;
      }
      throw this.#refusal(got, question, url);
    }
  }

  async #attempt(question: Question, url: URL): Promise<Received | BrokenExchange> {
    const { method = "GET", body, etag, signal } = question;
    this.#token = await this.#signIn.token(signal);
    const headers = {
      accept: "application/vnd.github+json",
      "x-github-api-version": API_VERSION,
      "user-agent": `baton/${version()}`,
      authorization: `Bearer ${this.#token}`,
      ...(body && { "content-type": "application/json" }),
      ...(etag !== undefined && { "if-none-match": etag }),
    };
    try {
      const sent = { method, url, headers, signal, timeoutMs: this.#timeoutMs };
      return await exchange({ ...sent, ...(body && { body: JSON.stringify(body) }) });
    } catch (error) {
      if (error instanceof BrokenExchange) return error;
      if (error instanceof UnusableAnswer) throw new SourceError("refused", error.message);
      throw error;
    }
  }

  #learn({ headers }: Received): void {
    this.#serverTime = timeOf(headers) ?? this.#serverTime;
    const budget = budgetOf(headers);
    if (budget.remaining !== null) this.#budget = budget;
  }

  /** Whoever asks on while it is limited may be shut out altogether. */
  #holdBack(): void {
    const until = this.#limitedUntil;
    if (until === undefined) return;
    if (until <= this.now()) this.#limitedUntil = undefined;
    else throw new SourceError("limited", limitWords(this.apiUrl.host, until), until);
  }

  #refusal(got: Received, question: Question, url: URL): SourceError {
    const until = limitedUntil(got, this.now());
    if (until) {
      this.#limitedUntil = until;
      return new SourceError("limited", limitWords(url.host, until), until);
    }
    const { status, headers } = got;
    const said = withhold(saidIn(got.text), [this.#token]);
    const what = `${url.host} answered ${status} to ${named(question, url)}${said}`;
    return new RefusedError(codeOf(status), `${what}.${remedy(status, headers)}`, status);
  }

  #urlOf(path: string): URL {
    const { origin, pathname, href } = this.apiUrl;
    const url = path.startsWith("/") ? URL.parse(`${href.replace(/\/$/, "")}${path}`) : URL.parse(path);
    const isOurs = url?.origin === origin && url.pathname.startsWith(pathname === "/" ? "/" : `${pathname}/`);
    if (url && isOurs) return url;
    throw new SourceError(
      "refused",
      `${this.apiUrl.host} names a page that is elsewhere. It was not asked for.`,
    );
  }
}

/** Without a slash at its end, and without anything that a URL of an API cannot have. */
function addressOf(text: string): URL {
  const url = URL.parse(text.replace(/\/+$/, ""));
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url && isPlain && /^https?:$/.test(url.protocol)) {
    return url;
  }
  throw new SourceError(
    "refused",
    "api_url is not the address of an API. It is https://api.github.com, or https://HOST/api/v3 for GitHub Enterprise Server.",
  );
}

function answerOf({ status, headers, text, redirectedTo }: Received, { host }: URL): Answer {
  const body = text === "" ? undefined : fromJson(text);
  if (text !== "" && body === undefined) {
    throw new SourceError("refused", `${host} did not answer in JSON. Is api_url the address of its API?`);
  }
  const etag = headers.get("etag");
  const { next, last } = linksIn(headers.get("link") ?? "");
  return {
    status,
    body,
    headers,
    ...(etag !== null && { etag }),
    ...(next !== undefined && { next }),
    ...(last !== undefined && { last }),
    ...(redirectedTo && { redirectedTo }),
  };
}

/** Of a `Link` header. */
function linksIn(header: string): Record<string, string> {
  const links: Record<string, string> = {};
  for (const part of header.slice(0, 10_000).split(",")) {
    const [, address, relation] = /<([^<>]*)>\s*;\s*rel="([a-z]+)"/.exec(part) ?? [];
    if (address !== undefined && relation !== undefined) links[relation] = address;
  }
  return links;
}

function codeOf(status: number): SourceError["code"] {
  switch (status) {
    case 401:
    case 403:
    case 451:
      return "no-access";
    case 404:
    case 410:
      return "not-found";
    case 409:
      return "conflict";
    default:
      return "refused";
  }
}

function remedy(status: number, headers: Headers): string {
  if (status === 401) return " The token is wrong, revoked or expired: make a new one.";
  if (status !== 403) return "";
  if (headers.has("x-github-sso")) return " Authorise the token for the organisation (SSO).";
  const needed = headers.get("x-accepted-github-permissions");
  return needed === null ? "" : ` It needs the rights ${oneLine(needed).slice(0, 200)}.`;
}

const named = ({ method = "GET" }: Question, { pathname }: URL) => `${method} ${pathname}`;

const limitWords = (host: string, until: Date) =>
  `${host} lets this account ask nothing more until ${until.toISOString()}.`;

function saidIn(text: string): string {
  const body = fromJson(text);
  const said = isFields(body) && typeof body.message === "string" ? oneLine(body.message) : "";
  return said === "" ? "" : `: ${said.slice(0, 300).replace(/\.$/, "")}`;
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
