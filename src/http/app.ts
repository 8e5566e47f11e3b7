import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { ZodError, type z } from "zod";
import { answered, wantsJson } from "./answer.ts";
import { CONTRACT, type Contract } from "./contract.ts";
import { Dashboard } from "./dashboard.ts";
import { jsonBody } from "./guards/body.ts";
import { callerOf, checkScope, refuseAgents } from "./guards/caller.ts";
import { checkSite } from "./guards/site.ts";
import { openApiDocument } from "./openapi.ts";
import { API, OPERATIONS, type OperationName } from "./operations.ts";
import { SIGN_IN_PAGE, signInPage } from "./pages.ts";
import { Problem, problemOf, problemResponse } from "./problem.ts";
import { fleetHandlers } from "./routes/fleet.ts";
import type { Ask, Handlers, Told } from "./routes/handlers.ts";
import { jobHandlers } from "./routes/jobs.ts";
import { sessionHandlers, signIn } from "./routes/session.ts";
import { FleetNews } from "./stream/fleet-news.ts";
import { serveStream, streamQuery } from "./stream/serve.ts";
import { TEXTS } from "./text.ts";
import type { Web } from "./web.ts";

type Env = { Bindings: HttpBindings };

const HANDLERS: Handlers<Exclude<OperationName, "signIn">> = {
  ...sessionHandlers,
  ...fleetHandlers,
  ...jobHandlers,
};

const HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/** Every request passes the same checks, in this order: who is meant, how many, from which page, whose token, what it may. */
export function webApp(web: Web): Hono<Env> {
  const app = new Hono<Env>();
  const news = new FleetNews();
  app.use(async (c, next) => {
    web.limits.request(addressOf(c));
    const isPage = c.req.method === "GET" && !c.req.path.startsWith("/api/");
    checkSite(c.req.raw.headers, web, { isPage });
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
    if (!c.res.headers.has("content-security-policy")) {
      c.res.headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
    }
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "private, no-cache");
  });
  app.get("/healthz", (c) => c.text("ok\n"));
  app.get(SIGN_IN_PAGE, () => signInPage());
  app.get(`${API}/stream`, async (c) => {
    const caller = callerOf(web, c.req.raw.headers, addressOf(c), { changes: false });
    await checkScope(web, caller, "view", c.env.incoming);
    const query = parsed(streamQuery, c.req.query(), "query");
    const lastId = c.req.header("last-event-id");
    return serveStream(web, caller, { query, lastId, news, signal: c.req.raw.signal }, c.env.outgoing);
  });
  app.get(`${API}/openapi.json`, async (c) => {
    const caller = callerOf(web, c.req.raw.headers, addressOf(c), { changes: false });
    await checkScope(web, caller, "view", c.env.incoming);
    return answered(c.req.raw, JSON.stringify(openApiDocument()), { type: "application/json" });
  });
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
  app.notFound((c) =>
    problemResponse(new Problem(404, "not-found", `There is nothing at ${c.req.path.slice(0, 200)}.`)),
  );
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

function addressOf(c: Context<Env>): string {
  return c.env.incoming.socket.remoteAddress ?? "";
}

async function signedIn(web: Web, c: Context<Env>): Promise<Response> {
  await refuseAgents(web, c.env.incoming);
  const body = parsed(CONTRACT.signIn.body, await jsonBody(c.req.raw), "body");
  const agent = c.req.header("user-agent") ?? "";
  const { answer, headers } = signIn(web, body, { from: addressOf(c), agent });
  return c.json(answer, 200, headers);
}

async function operated<K extends Exclude<OperationName, "signIn">>(
  web: Web,
  c: Context<Env>,
  name: K,
): Promise<Response> {
  const { method } = OPERATIONS[name];
  const contract: Contract = CONTRACT[name];
  const request = c.req.raw;
  const from = addressOf(c);
  const changes = method !== "GET";
  const caller = callerOf(web, request.headers, from, { changes });
  if (contract.scope !== "none") await checkScope(web, caller, contract.scope, c.env.incoming);
  const query = contract.query ? parsed(contract.query, c.req.query(), "query") : {};
  const body = contract.body ? parsed(contract.body, await jsonBody(request), "body") : undefined;
  const handler: (ask: Ask<K>) => Promise<Told<K>> = HANDLERS[name];
  const ask = {
    web,
    caller,
    params: c.req.param(),
    query,
    body,
    from,
    signal: request.signal,
  } as unknown as Ask<K>;
  const told = await handler(ask);
  return inForm(request, name, contract, told, { changes });
}

async function inForm<K extends OperationName>(
  request: Request,
  name: K,
  contract: Contract,
  { answer, headers = {} }: Told<K>,
  { changes }: { changes: boolean },
): Promise<Response> {
  const text = changes || wantsJson(request.headers) ? undefined : TEXTS[name];
  const response = text
    ? await answered(request, `${text(answer, new Date())}\n`, { type: "text/plain; charset=utf-8" })
    : await answered(request, JSON.stringify(answer), {
        type: "application/json",
        status: contract.status ?? 200,
      });
  for (const [header, value] of Object.entries(headers)) response.headers.set(header, value);
  return response;
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, where: "query" | "body"): z.output<S> {
  const { success, data, error } = schema.safeParse(value ?? (where === "body" ? {} : value));
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
