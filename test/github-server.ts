import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fromJson, isFields } from "../src/util/json.ts";
import { checkRights } from "./github/access.ts";
import { Accounts, type Caller } from "./github/accounts.ts";
import { Limits, secondary } from "./github/limits.ts";
import { notFound, Refusal } from "./github/refusal.ts";
import { FakeRepository, type RepositoryOptions } from "./github/repository.ts";
import { answerAccount, type Call, type Reply, ROUTES } from "./github/routes.ts";

export interface GitHubOptions {
  /** As GitHub Enterprise Server has: `/api/v3`. */
  basePath?: string;
  /** Reads see the state of up to so long ago. */
  lagMs?: number;
  latencyMs?: number | (() => number);
  /** Requests an hour, by account. */
  limit?: number;
  /** Comments, issues and pull requests a minute, by account. */
  contentPerMinute?: number;
  now?: () => Date;
  random?: () => number;
}

interface Logged {
  method: string;
  /** With its query, below the base path. */
  path: string;
  status: number;
  /** Who asked; undefined without a token that holds. */
  login: string | undefined;
  /** Whether it counted against the limit. */
  cost: number;
  body: string;
}

interface Fault {
  method?: string;
  path?: RegExp;
  /**
   * `reset`: the connection breaks before it is read; `reset-after`: when it is done; `502-after`: done, and answered with 502;
   * `hang`: never answered.
   */
  how:
    | "reset"
    | "reset-after"
    | "502-after"
    | "hang"
    | { status: number; headers?: Record<string, string>; body?: string };
  /** How often; once unless it says otherwise. */
  times?: number;
  /** A request has met it. */
  met?: () => void;
}

export interface GitHubServer extends AsyncDisposable {
  /** Of the API. */
  url: string;
  accounts: Accounts;
  requests: Logged[];
  repo(fullName: string, options?: RepositoryOptions): FakeRepository;
  rename(repository: FakeRepository, fullName: string): void;
  transfer(from: FakeRepository, number: number, to: FakeRepository): number;
  fault(fault: Fault): void;
  /** Replicas that are behind are not any more, as after a while. */
  catchUp(): void;
  /** What an account may still ask this hour. */
  remaining(login: string): number;
  close(): Promise<void>;
}

const MOST_AT_ONCE = 100;

/** GitHub's REST API as far as Baton and its tests ask it, for as long as it is not closed. */
export async function startGitHub(options: GitHubOptions = {}): Promise<GitHubServer> {
  const { basePath = "", lagMs = 0, limit = 5_000, contentPerMinute = 80 } = options;
  const now = options.now ?? (() => new Date());
  const random = options.random ?? Math.random;
  const accounts = new Accounts(now);
  const limits = new Limits({ limit, contentPerMinute, now });
  const repositories: FakeRepository[] = [];
  const renamed = new Map<string, FakeRepository>();
  const requests: Logged[] = [];
  const faults: (Fault & { times: number })[] = [];
  let lastId = 100;
  let atOnce = 0;
  let origin = "";

  const server = createServer((request, response) => {
    atOnce++;
    void answer(request, response).finally(() => {
      atOnce--;
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const where = new URL(url, origin);
    const path = where.pathname.slice(basePath.length) + where.search;
    const fault = takeFault(method, path);
    if (fault?.how === "reset") return void request.socket.destroy();
    const body = await text(request);
    const logged: Logged = { method, path, status: 0, login: undefined, cost: 0, body };
    requests.push(logged);
    const { latencyMs = 0 } = options;
    const wait = typeof latencyMs === "number" ? latencyMs : latencyMs();
    if (wait > 0) await delay(wait);
    if (fault?.how === "hang") return;
    if (typeof fault?.how === "object") {
      logged.status = fault.how.status;
      const date = { date: now().toUTCString() };
      response.writeHead(fault.how.status, { ...date, ...fault.how.headers }).end(fault.how.body ?? "");
      return;
    }
    const reply = await replyTo({ method, where, authorization: headers.authorization, body, logged });
    if (fault?.how === "reset-after") return void request.socket.destroy();
    if (fault?.how === "502-after") {
      logged.status = 502;
      response.writeHead(502).end("<html>Bad Gateway</html>");
      return;
    }
    send(reply, { request, response, where, logged });
  }

  function takeFault(method: string, path: string): Fault | undefined {
    const found = faults.find(
      (fault) => fault.times > 0 && (fault.method ?? method) === method && (fault.path?.test(path) ?? true),
    );
    if (found) found.times--;
    found?.met?.();
    return found;
  }

  interface Asked {
    method: string;
    where: URL;
    authorization: string | undefined;
    body: string;
    logged: Logged;
  }

  async function replyTo(asked: Asked): Promise<Reply> {
    let caller: Caller | undefined;
    try {
      if (!asked.where.pathname.startsWith(`${basePath}/`)) throw notFound();
      if (atOnce > MOST_AT_ONCE) throw secondary();
      caller = accounts.caller(asked.authorization);
      asked.logged.login = caller?.login;
      if (caller) limits.refuseBeyond(caller.login);
      return await route(asked, caller);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, message, more, headers } = error;
      const page = "https://docs.github.com/rest";
      return { status, headers, body: { message, documentation_url: page, status: String(status), ...more } };
    }
  }

  async function route({ method, where, body }: Asked, caller: Caller | undefined): Promise<Reply> {
    const pathname = where.pathname.slice(basePath.length);
    const parsed = body === "" ? {} : fromJson(body);
    if (!isFields(parsed)) throw new Refusal(400, "Problems parsing JSON");
    const moment = performance.now() - lagMs * random();
    const api = `${origin}${basePath}`;
    const call: Call = {
      caller,
      query: where.searchParams,
      body: parsed,
      path: {},
      moment,
      api,
      page: origin,
      accounts,
    };
    const ofAccount = answerAccount(method, pathname, call);
    if (ofAccount) return ofAccount;

    const { inRepos, redirect } = placeOf(pathname, method, where.search);
    if (redirect) return redirect;
    const isSeen = ROUTES.some(({ pattern }) => pattern.test({ pathname: inRepos }));
    for (const candidate of ROUTES) {
      const match = candidate.method === method ? candidate.pattern.exec({ pathname: inRepos }) : null;
      if (!match) continue;
      if (!caller) throw new Refusal(401, "Requires authentication");
      const path = Object.fromEntries(
        Object.entries(match.pathname.groups).map(([name, value]) => [name, decodeURIComponent(value ?? "")]),
      );
      const repository = named(`${path.owner}/${path.repo}`);
      if (!repository) throw notFound();
      checkRights(repository, caller, candidate);
      if (candidate.isContent) limits.countContent(caller.login);
      const isOpen = (number: number) => repository.issues.get(number)?.at(moment)?.state === "open";
      const view = { api, page: origin, repository, isOpen };
      return candidate.answer({ ...call, caller, path, repository, view });
    }
    throw isSeen ? new Refusal(405, "Method Not Allowed") : notFound();
  }

  /** Where it is now: a repository may be asked by its id, has other names than before, and its issues may be elsewhere. */
  function placeOf(pathname: string, method: string, search: string): { inRepos: string; redirect?: Reply } {
    const [, id, rest = ""] = /^\/repositories\/(\d+)(\/.*)?$/.exec(pathname) ?? [];
    const byId = repositories.find((repository) => String(repository.id) === id);
    const inRepos = byId ? `/repos/${byId.fullName}${rest}` : pathname;
    const [, name = "", below = ""] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(inRepos) ?? [];
    const former = named(name) ? undefined : renamed.get(name.toLowerCase());
    if (former)
      return { inRepos, redirect: redirectTo(`/repositories/${former.id}${below}${search}`, method) };
    const [, number = "", beyond = ""] = /^\/issues\/(\d+)(\/.*)?$/.exec(below) ?? [];
    const moved = named(name)?.moved.get(Number(number));
    if (!moved) return { inRepos };
    const target = `/repositories/${moved.repository.id}/issues/${moved.number}${beyond}${search}`;
    return { inRepos, redirect: redirectTo(target, method) };
  }

  function redirectTo(path: string, method: string): Reply {
    const location = `${origin}${basePath}${path}`;
    const body = { message: "Moved Permanently", url: location };
    return { status: method === "GET" ? 301 : 307, headers: { location }, body };
  }

  const named = (fullName: string) =>
    repositories.find((repository) => repository.fullName.toLowerCase() === fullName.toLowerCase());

  function send(
    reply: Reply,
    {
      request,
      response,
      where,
      logged,
    }: { request: IncomingMessage; response: ServerResponse; where: URL; logged: Logged },
  ): void {
    const { status = 200, list } = reply;
    const page = list ? pageOf(list, where) : undefined;
    const value = page ? page.items : reply.body;
    const body = value === undefined ? "" : JSON.stringify(value);
    const etag = `W/"${createHash("sha256").update(body).digest("hex")}"`;
    const isGood = request.method === "GET" && status === 200;
    const isSame = isGood && request.headers["if-none-match"] === etag;
    logged.status = isSame ? 304 : status;
    logged.cost = isSame || logged.login === undefined ? 0 : 1;
    response.writeHead(logged.status, {
      date: now().toUTCString(),
      "content-type": "application/json; charset=utf-8",
      "x-github-request-id": String(requests.length),
      ...(isGood && { etag, "cache-control": "private, max-age=60, s-maxage=60" }),
      ...(page?.link && { link: page.link }),
      ...(logged.login !== undefined && limits.count(logged.login, logged.cost)),
      ...reply.headers,
    });
    response.end(isSame || status === 204 ? undefined : body);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  return {
    url: `${origin}${basePath}`,
    accounts,
    requests,
    repo(fullName, given = {}) {
      const repository = new FakeRepository(fullName, given, { nextId: () => ++lastId, now, lagMs });
      repositories.push(repository);
      return repository;
    },
    rename(repository, fullName) {
      renamed.set(repository.fullName.toLowerCase(), repository);
      repository.fullName = fullName;
    },
    transfer(from, number, to) {
      const { title, body, by } = from.issue(number);
      const there = to.open({ title, body, by });
      from.issues.delete(number);
      from.moved.set(number, { repository: to, number: there });
      return there;
    },
    catchUp() {
      for (const { issues } of repositories) for (const versions of issues.values()) versions.catchUp();
    },
    fault: (fault) => void faults.push({ times: 1, ...fault }),
    remaining: (login) => limits.remaining(login),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function pageOf(list: readonly unknown[], where: URL): { items: readonly unknown[]; link: string } {
  const size = Math.min(100, Math.max(1, Number(where.searchParams.get("per_page") ?? 30)));
  const page = Math.max(1, Number(where.searchParams.get("page") ?? 1));
  const last = Math.max(1, Math.ceil(list.length / size));
  const to = (number: number, relation: string) => {
    const url = new URL(where);
    url.searchParams.set("page", String(number));
    return `<${url}>; rel="${relation}"`;
  };
  const before = page > 1 ? [to(page - 1, "prev"), to(1, "first")] : [];
  const after = page < last ? [to(page + 1, "next"), to(last, "last")] : [];
  return { items: list.slice((page - 1) * size, page * size), link: [...before, ...after].join(", ") };
}
