import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { ZodError, z } from "zod";
import type { Scope } from "../app/access/principal.ts";
import { answered, SAFE_HEADERS, wantsJson } from "./answer.ts";
import { type AnswerOf, CONTRACT, type Contract } from "./contract.ts";
import { Dashboard } from "./dashboard.ts";
import { jsonBody } from "./guards/body.ts";
import { callerOf, checkScope, holderIn, refuseAgents, refuseOthersCode } from "./guards/caller.ts";
import { checkSite } from "./guards/site.ts";
import { METRICS_TYPE, metricsText } from "./metrics.ts";
import { nameOfRequest, once } from "./once.ts";
import { openApiDocument } from "./openapi.ts";
import { API, OPERATIONS, type OperationName } from "./operations.ts";
import { SIGN_IN_PAGE, signInPage } from "./pages.ts";
import { Problem, problemOf, problemResponse } from "./problem.ts";
import { accessHandlers, signIn } from "./routes/access.ts";
import { CALL_PATH, called } from "./routes/calls.ts";
import { fleetHandlers } from "./routes/fleet.ts";
import type { Ask, Handlers, Told } from "./routes/handlers.ts";
import { jobHandlers } from "./routes/jobs.ts";
import { NOTIFIED, notified } from "./routes/notified.ts";
import { recordHandlers } from "./routes/records.ts";
import { serverHandlers } from "./routes/server.ts";
import { steeringHandlers } from "./routes/steering.ts";
import { workHandlers } from "./routes/work.ts";
import { fleetNews, inboxNews } from "./stream/news.ts";
import { STREAM_TYPE, serveStream, streamQuery } from "./stream/serve.ts";
import { TEXTS } from "./text/texts.ts";
import type { Web } from "./web.ts";

type Env = { Bindings: HttpBindings };

const HANDLERS: Handlers<Exclude<OperationName, "signIn">> = {
  ...accessHandlers,
  ...fleetHandlers,
  ...jobHandlers,
  ...steeringHandlers,
  ...recordHandlers,
  ...serverHandlers,
  ...workHandlers,
};

/** Every request passes the same checks, in this order: who is meant, from which page, how many, whose token, what it may. */
export function webApp(web: Web): Hono<Env> {
  const app = new Hono<Env>();
  const news = { fleet: fleetNews(), inbox: inboxNews() };
  // Around all else: what is refused before it is looked at has them, too.
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "private, no-cache");
  });
  app.use(async (c, next) => {
    const { headers } = c.req.raw;
    const isPage = c.req.method === "GET" && !c.req.path.startsWith("/api/");
    checkSite(headers, web, { isPage });
    web.limits.request(addressOf(c), holderIn(web, headers)?.principal.id);
    await next();
  });
  app.get("/healthz", (c) => c.text("ok\n"));
  app.get("/metrics", async (c) => {
    const caller = callerOf(web, c.req.raw.headers, addressOf(c), { changes: false });
    await checkScope(web, caller, "view", c.env.incoming);
    return answered(c.req.raw, await metricsText(web, caller), { type: METRICS_TYPE });
  });
  app.get(SIGN_IN_PAGE, () => signInPage());
  app.get(`${API}/stream`, async (c) => {
    const caller = callerOf(web, c.req.raw.headers, addressOf(c), { changes: false });
    await checkScope(web, caller, "view", c.env.incoming);
    const query = parsed(streamQuery, c.req.query(), "query");
    // Nothing comes after the head that they ask for.
    if (c.req.method === "HEAD") return c.body(null, 200, { "content-type": STREAM_TYPE });
    const lastId = c.req.header("last-event-id");
    return serveStream(web, caller, { query, lastId, news }, c.env.outgoing);
  });
  app.get(`${API}/openapi.json`, async (c) => {
    const caller = callerOf(web, c.req.raw.headers, addressOf(c), { changes: false });
    await checkScope(web, caller, "view", c.env.incoming);
    return answered(c.req.raw, JSON.stringify(openApiDocument()), { type: "application/json" });
  });
  app.post(`${API}${CALL_PATH}`, async (c) => {
    const { agent, schedule } = c.req.param();
    const to = { agent, schedule, named: c.req.query("project"), from: addressOf(c) };
    const { isRepeated, ...answer } = await called(web, c.req.raw, to);
    return c.json(answer, 202, isRepeated ? { "idempotency-replayed": "true" } : {});
  });
  for (const hook of NOTIFIED)
    app.post(`${API}${hook.path}`, async (c) =>
      c.json(await notified(web, hook, c.req.raw, addressOf(c)), 202),
    );
  for (const name of namesOf(OPERATIONS)) {
    const { method, path } = OPERATIONS[name];
    app.on(method, `${API}${path}`, (c) => (name === "signIn" ? signedIn(web, c) : operated(web, c, name)));
  }
  const dashboard = new Dashboard();
  app.get("*", (c) => {
    if (c.req.path.startsWith("/api/")) return c.notFound();
    try {
      callerOf(web, c.req.raw.headers, addressOf(c), { changes: false });
    } catch (error) {
      const isPage = c.req.header("sec-fetch-mode") === "navigate";
      if (isPage && error instanceof Problem && error.status === 401) return c.redirect(SIGN_IN_PAGE);
      throw error;
    }
    return dashboard.answer(c.req.raw);
  });
  app.notFound((c) => problemResponse(nothingAt(app, c.req.path)));
  app.onError((error) => {
    const problem = error instanceof ZodError ? invalid(error, "query") : problemOf(error);
    if (problem.status === 500) web.trouble(error);
    return problemResponse(problem);
  });
  return app;
}

/** Keys of an object of ours. */
function namesOf<K extends string>(of: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(of) as K[];
}

function nothingAt(app: Hono<Env>, path: string): Problem {
  const at = path.slice(0, 200);
  const words = path.split("/");
  const fits = (pattern: string) => {
    const parts = pattern.split("/");
    return (
      parts.length === words.length &&
      parts.every((part, index) => (part.startsWith(":") ? words[index] !== "" : part === words[index]))
    );
  };
  const allow = app.routes.filter((route) => fits(route.path)).map(({ method }) => method);
  if (allow.length === 0) return new Problem(404, "not-found", `There is nothing at ${at}.`);
  const methods = allow.join(", ");
  return new Problem(405, "method", `${at} is asked for by ${methods}.`, { headers: { allow: methods } });
}

function addressOf(c: Context<Env>): string {
  return c.env.incoming.socket.remoteAddress ?? "";
}

async function signedIn(web: Web, c: Context<Env>): Promise<Response> {
  await refuseAgents(web, c.env.incoming);
  const body = parsed(CONTRACT.signIn.body, await jsonBody(c.req.raw), "body");
  refuseOthersCode(body.code, c.env.incoming);
  const agent = c.req.header("user-agent") ?? "";
  const { answer, headers } = signIn(web, body, { from: addressOf(c), agent });
  return c.json(answer, 200, headers);
}

/** Of a body: what nobody reads is refused, not ignored. */
const NOTHING = z.strictObject({});

type Operated = Exclude<OperationName, "signIn">;

async function operated<K extends Operated>(web: Web, c: Context<Env>, name: K): Promise<Response> {
  const { method } = OPERATIONS[name];
  const contract: Contract = CONTRACT[name];
  const request = c.req.raw;
  const from = addressOf(c);
  const changes = method !== "GET";
  const caller = callerOf(web, request.headers, from, { changes });
  const { principal } = caller;
  const [only, ...others] = principal.projects ?? [];
  let begun: number | undefined;
  /** What was begun is on record, and gets what became of it. */
  const record = (became: { target?: string | undefined; project?: string | undefined; outcome: string }) => {
    if (!changes) return;
    const target = c.req.path.slice(API.length);
    const project = only !== undefined && others.length === 0 ? { project: only } : {};
    if (begun !== undefined) web.access.endDeed(begun, became);
    else
      begun = web.access.audit(principal, {
        ...{ what: name, origin: from, target, outcome: became.outcome },
        ...project,
      });
  };
  try {
    const needs = (scope: Scope) => checkScope(web, caller, scope, c.env.incoming);
    if (contract.scope !== "none") await needs(contract.scope);
    const query = contract.query ? parsed(contract.query, c.req.query(), "query") : {};
    const said = changes ? await jsonBody(request) : undefined;
    const body = parsed(contract.body ?? NOTHING, said ?? {}, "body");
    const named = changes ? nameOfRequest(request.headers) : undefined;
    const starter = { access: web.access, served: web.served, principal, request: named };
    const ask = {
      web,
      caller,
      params: c.req.param(),
      query,
      body,
      from,
      starter,
      needs,
    } as unknown as Ask<K>;
    const handler: (ask: Ask<K>) => Promise<Told<K>> = HANDLERS[name];
    const does = async () => {
      record({ outcome: "begun" });
      const isLimited = principal.maxJobs !== null || principal.maxCostUsd !== null;
      const told = () =>
        isLimited && contract.scope === "start"
          ? web.turns.during(`starts of ${principal.id}`, () => handler(ask))
          : handler(ask);
      const {
        answer,
        headers = {},
        target,
        project,
      } = await (contract.starts ? web.limits.inTurn(told) : told());
      record({ outcome: "done", target, project });
      return { answer, headers, status: contract.status ?? 200 };
    };
    if (named === undefined) return await inForm(request, name, await does(), { changes });
    const begins = { named, path: `${method} ${c.req.path}`, said, canBegin: name === "startJob" };
    // Whoever sends it again before the first has been answered gets the same answer.
    const done = await web.turns.during(`request ${principal.id} ${named}`, () =>
      once(web.access, principal, begins, does),
    );
    return await inForm(request, name, done, { changes });
  } catch (error) {
    record({ outcome: `refused: ${problemOf(error).message}` });
    throw error;
  }
}

interface Formed<K extends OperationName> {
  answer: AnswerOf<K>;
  headers: Record<string, string>;
  status: number;
}

async function inForm<K extends OperationName>(
  request: Request,
  name: K,
  { answer, headers, status }: Formed<K>,
  { changes }: { changes: boolean },
): Promise<Response> {
  const isForProgram = wantsJson(request.headers);
  const text = changes || isForProgram ? undefined : TEXTS[name];
  const json = () => `${JSON.stringify(answer, null, isForProgram ? 0 : 2)}\n`;
  const response = text
    ? await answered(request, `${text(answer, new Date())}\n`, { type: "text/plain; charset=utf-8" })
    : await answered(request, json(), { type: "application/json", status });
  for (const [header, value] of Object.entries(headers)) response.headers.set(header, value);
  return response;
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, where: "query" | "body"): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw invalid(error, where);
}

function invalid(error: ZodError, where: string): Problem {
  const errors = error.issues.map(({ path, message }) => ({ path: [where, ...path].join("."), message }));
  const [first] = errors;
  return new Problem(
    422,
    "invalid",
    first ? `${first.path}: ${first.message}` : "The request is not understood.",
    { errors },
  );
}
