import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { buildSchema, execute, GraphQLError, parse, validate } from "graphql";
import { fromJson, isFields } from "../src/util/json.ts";
import { complexityOf, MOST_POINTS } from "./linear/complexity.ts";
import { rootFor } from "./linear/resolve.ts";
import { SCHEMA } from "./linear/schema.ts";
import { type FakeUser, FakeWorkspace, Refusal } from "./linear/workspace.ts";

interface Logged {
  operation: string;
  login: string | undefined;
  status: number;
  variables: Record<string, unknown>;
}

interface Fault {
  operation: string;
  /** `reset`: the connection breaks before anything is done; `reset-after`: when it is done; else what is answered. */
  how: "reset" | "reset-after" | { status: number; body: string; headers?: Record<string, string> };
}

export interface LinearServer extends AsyncDisposable {
  /** Of the API. */
  url: string;
  workspace: FakeWorkspace;
  /** A key of somebody, that lets them write unless it says otherwise. */
  key(user: FakeUser, may?: "read" | "write"): string;
  requests: Logged[];
  fault(fault: Fault): void;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const BODY_LIMIT = 1_000_000;

/** Linear's API as far as Baton and its tests ask it, for as long as it is not closed. */
export async function startLinear(options: { limit?: number; now?: () => Date } = {}): Promise<LinearServer> {
  const { limit = 5_000, now = () => new Date() } = options;
  const schema = buildSchema(SCHEMA);
  const workspace = new FakeWorkspace(now);
  const keys = new Map<string, { user: FakeUser; may: "read" | "write" }>();
  const spent = new Map<FakeUser, number>();
  const requests: Logged[] = [];
  const faults: Fault[] = [];
  const resetsAt = now().getTime() + HOUR_MS;
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const asked = fromJson(body);
    const { query, variables = {} } = isFields(asked) ? asked : {};
    const operation = /(?:query|mutation)\s+(\w+)/.exec(String(query))?.[1] ?? "";
    const fault = faults.find((each) => each.operation === operation);
    if (fault) faults.splice(faults.indexOf(fault), 1);
    if (fault?.how === "reset") return void request.socket.destroy();
    const given = isFields(variables) ? variables : {};
    const done =
      typeof fault?.how === "object" ? fault.how : await carryOut(request, body.length, String(query), given);
    const login = callerOf(request)?.user.name;
    requests.push({ operation, login, status: done.status, variables: given });
    if (fault?.how === "reset-after") return void request.socket.destroy();
    response.writeHead(done.status, {
      "content-type": "application/json",
      date: now().toUTCString(),
      ...done.headers,
    });
    response.end(done.body);
  }

  /** A person's key stands alone, what an OAuth app was given is a bearer's. */
  function callerOf({ headers }: IncomingMessage) {
    const given = headers.authorization ?? "";
    const isBearer = given.startsWith("Bearer ");
    const key = isBearer ? given.slice("Bearer ".length) : given;
    return key.startsWith("lin_api_") === isBearer ? undefined : keys.get(key);
  }

  async function carryOut(
    request: IncomingMessage,
    bytes: number,
    query: string,
    variables: Record<string, unknown>,
  ) {
    const caller = callerOf(request);
    if (!caller)
      return failed(
        401,
        new Refusal("AUTHENTICATION_ERROR", "authentication error", "Authentication required"),
      );
    const { user: me, may } = caller;
    if (bytes > BODY_LIMIT)
      return failed(413, new Refusal("INPUT_ERROR", "invalid input", "The request is too large."));
    const used = (spent.get(me) ?? 0) + 1;
    const headers = {
      "x-ratelimit-requests-limit": String(limit),
      "x-ratelimit-requests-remaining": String(Math.max(0, limit - used)),
      "x-ratelimit-requests-reset": String(resetsAt),
    };
    // Not 429: Linear says so in the answer.
    if (used > limit)
      return failed(400, new Refusal("RATELIMITED", "ratelimited", "Rate limit exceeded"), headers);
    spent.set(me, used);
    const rootValue = rootFor({ workspace, me });
    let document: ReturnType<typeof parse>;
    try {
      document = parse(query);
    } catch (error) {
      return failed(400, error as Error, headers);
    }
    const invalid = validate(schema, document);
    if (invalid.length > 0) return { status: 400, headers, body: JSON.stringify({ errors: invalid }) };
    const complexity = complexityOf(document, variables);
    if (complexity > MOST_POINTS) {
      const said = `The query is too complex. Complexity: ${complexity}. Maximum allowed complexity: ${MOST_POINTS}.`;
      return failed(400, new Refusal("INPUT_ERROR", "invalid input", said), headers);
    }
    // Before it is looked what the change is about.
    const changes = document.definitions.some(
      (each) => each.kind === "OperationDefinition" && each.operation === "mutation",
    );
    if (changes && may === "read")
      return failed(400, new Refusal("FORBIDDEN", "forbidden", "Invalid scope: `write` required"), headers);
    const result = await execute({ schema, document, rootValue, variableValues: variables });
    const status = result.errors?.some(({ originalError }) => originalError instanceof Refusal) ? 400 : 200;
    return {
      status,
      headers: { ...headers, "x-complexity": String(Math.ceil(complexity)) },
      body: JSON.stringify(withCodes(result)),
    };
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    workspace,
    key(user, may = "write") {
      const key = `lin_api_${user.id.replaceAll("-", "").padEnd(40, may === "write" ? "0" : "1")}`;
      keys.set(key, { user, may });
      return key;
    },
    requests,
    fault: (fault) => void faults.push(fault),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A Refusal carries its own words for programs. */
function withCodes({ data, errors }: Awaited<ReturnType<typeof execute>>) {
  const shown = errors?.map((error) => ({
    ...error.toJSON(),
    ...(error.originalError instanceof Refusal && { extensions: error.originalError.extensions }),
  }));
  return { data: data ?? null, ...(shown && { errors: shown }) };
}

function failed(status: number, error: Error, headers: Record<string, string> = {}) {
  const extensions = error instanceof Refusal ? error.extensions : undefined;
  const shown = error instanceof GraphQLError ? error.toJSON() : { message: error.message, extensions };
  return { status, headers, body: JSON.stringify({ errors: [shown] }) };
}
