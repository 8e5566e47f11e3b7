import { z } from "zod";
import { version } from "../version.ts";
import { CONTRACT, type Contract } from "./contract.ts";
import { API, OPERATIONS, PROOF_HEADER } from "./operations.ts";
import { NOTIFIED } from "./routes/notified.ts";
import { problem } from "./schemas/common.ts";
import { streamQuery } from "./stream/serve.ts";
import { TEXTS } from "./text/texts.ts";

type Schema = Record<string, unknown>;

/** The OpenAPI document, from the schemas that requests are checked by. */
export function openApiDocument(): object {
  const schemas: Record<string, Schema> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, { method, path }] of Object.entries(OPERATIONS)) {
    const contract = Object.entries(CONTRACT).find(([each]) => each === name)?.[1];
    if (!contract) throw new Error(`${name} has no contract`);
    const at = path.replaceAll(/:(\w+)/g, "{$1}");
    paths[at] = {
      ...paths[at],
      [method.toLowerCase()]: operation(name, { method, path }, contract, schemas),
    };
  }
  paths["/hooks/{agent}/{schedule}"] = { post: CALL };
  for (const hook of NOTIFIED) paths[hook.path] = { post: notification(hook) };
  paths["/stream"] = { get: streamOperation(schemas) };
  paths["/openapi.json"] = { get: plainGet("getDescription", "This document", "application/json") };
  const atRoot = { servers: [{ url: "/" }] };
  paths["/metrics"] = { ...atRoot, get: plainGet("getMetrics", "Figures for Prometheus", "text/plain") };
  paths["/healthz"] = {
    ...atRoot,
    get: { ...plainGet("getHealth", "Whether the server answers", "text/plain"), security: [] },
  };
  inComponents(problem, schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Baton",
      version: version(),
      description: "Everything that a fleet of Baton knows and can do. See docs/api.md of the package.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: API }],
    security: [{ token: [] }, { cookie: [], csrf: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "`baton token create`" },
        cookie: { type: "apiKey", in: "cookie", name: "baton_<port>", description: "`baton dashboard`" },
        signature: {
          type: "apiKey",
          in: "header",
          name: "X-Baton-Signature-256",
          description: "`sha256=` and the HMAC of the body, or of the timestamp, a dot and the body",
        },
        csrf: {
          type: "apiKey",
          in: "header",
          name: PROOF_HEADER,
          description: "with a cookie, for every change",
        },
      },
    },
  };
}

function operation(
  name: string,
  { method, path }: { method: string; path: string },
  contract: Contract,
  schemas: Record<string, Schema>,
): object {
  const { summary, scope, query, body, answer, status = 200 } = contract;
  const params = [...path.matchAll(/:(\w+)/g)].map(([, param]) => ({
    name: param,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    operationId: name,
    summary,
    description: scope === "none" ? "Without a token." : `Scope: ${scope}.`,
    ...(scope === "none" && { security: [] }),
    parameters: [
      ...params,
      ...(query ? queryParameters(query, schemas) : []),
      ...(method === "GET" || scope === "none" ? [] : [IDEMPOTENCY_KEY]),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: inComponents(body, schemas) } },
      },
    }),
    responses: {
      [status]: {
        description: "As asked",
        content: {
          "application/json": { schema: inComponents(answer, schemas) },
          ...(name in TEXTS && { "text/plain": text }),
        },
      },
      default: PROBLEM,
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "sent again with the same within a day, it is not done again, and answered as the first time",
  schema: { type: "string", minLength: 1, maxLength: 200 },
};

const text = { schema: { type: "string" } };
const PROBLEM = {
  description: "Why not",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

const CALL = {
  operationId: "callSchedule",
  summary: "Call a schedule of type webhook; its agent gets the body as data",
  description: "With a token of its own, or signed with the secret of webhooks.secret_env.",
  security: [{ token: [] }, { signature: [] }],
  parameters: [
    { name: "agent", in: "path", required: true, ...text },
    { name: "schedule", in: "path", required: true, ...text },
    { name: "project", in: "query", required: false, ...text },
    { name: "X-Baton-Delivery", in: "header", required: false, ...text },
    { name: "X-Baton-Timestamp", in: "header", required: false, ...text },
  ],
  requestBody: { required: false, content: { "application/json": { schema: {} } } },
  responses: {
    202: {
      description: "The outcome",
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["outcome"],
            properties: {
              outcome: { type: "string", enum: ["queued", "skipped", "coalesced"] },
              job: { type: "string" },
              reason: { type: "string" },
            },
          },
        },
      },
    },
    default: PROBLEM,
  },
};

/** What GitHub and Linear send, as they describe it themselves. */
function notification({ tracker, signature, delivery }: (typeof NOTIFIED)[number]): object {
  return {
    operationId: `notifiedBy${tracker === "github" ? "GitHub" : "Linear"}`,
    summary: "Something is new there: ask its trackers now. The content of the body is not used",
    description: "Signed with the secret of webhooks.secret_env.",
    security: [],
    parameters: [
      { name: signature, in: "header", required: true, ...text },
      { name: delivery, in: "header", required: false, ...text },
    ],
    requestBody: { required: true, content: { "application/json": { schema: {} } } },
    responses: {
      202: {
        description: "In how many projects it is asked; 0: it was sent before",
        content: {
          "application/json": {
            schema: { type: "object", required: ["polled"], properties: { polled: { type: "integer" } } },
          },
        },
      },
      default: PROBLEM,
    },
  };
}

function plainGet(operationId: string, summary: string, type: string): object {
  const isJson = type === "application/json";
  return {
    operationId,
    summary,
    description: operationId === "getHealth" ? "Without a token." : "Scope: view.",
    responses: {
      200: { description: "As asked", content: { [type]: isJson ? { schema: {} } : text } },
      default: PROBLEM,
    },
  };
}

function streamOperation(schemas: Record<string, Schema>): object {
  return {
    operationId: "stream",
    summary: "What happens, as server-sent events; resumed by Last-Event-ID",
    description: "Scope: view.",
    parameters: [
      ...queryParameters(streamQuery, schemas),
      { name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" } },
    ],
    responses: {
      200: { description: "Until it ends", content: { "text/event-stream": { schema: { type: "string" } } } },
      default: PROBLEM,
    },
  };
}

function queryParameters(query: z.ZodObject, schemas: Record<string, Schema>): object[] {
  const { properties = {}, required = [] } = inComponents(query, schemas) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** What has a name goes among the components, once. */
function inComponents(schema: z.ZodType, schemas: Record<string, Schema>): Schema {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override: plain });
  for (const [name, definition] of Object.entries($defs)) schemas[name] = moved(definition);
  const { id, ...rest } = moved(own);
  if (typeof id !== "string") return rest;
  schemas[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}

/** Without what says nothing to people: that a whole number is one that can be counted to, and a time in a pattern. */
function plain({ jsonSchema }: { jsonSchema: Schema }): void {
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function moved(schema: object): Schema {
  const text = JSON.stringify(schema, (key, value) =>
    key === "$schema" || (key === "id" && typeof value === "string" && /^[A-Z]/.test(value))
      ? undefined
      : value,
  );
  const read: Schema = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
  const { id } = schema as { id?: unknown };
  return typeof id === "string" ? { ...read, id } : read;
}
