import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { findProject } from "../src/app/project.ts";
import { TraceExport } from "../src/app/traces/export.ts";
import { collectorIn } from "../src/app/traces/otlp.ts";
import { baton, inSmallWindows, shown, smallWindows, testProject } from "./harness.ts";

const attributes = z.array(
  z.strictObject({
    key: z.string().min(1),
    value: z.xor([
      z.strictObject({ stringValue: z.string() }),
      z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
      z.strictObject({ doubleValue: z.number() }),
      z.strictObject({ boolValue: z.boolean() }),
    ]),
  }),
);

const hex = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`));
const nanoseconds = z.string().regex(/^\d{19}$/);

const span = z.strictObject({
  ...{ traceId: hex(32), spanId: hex(16), parentSpanId: hex(16).optional() },
  name: z.string().min(1),
  kind: z.int().min(0).max(5),
  ...{ startTimeUnixNano: nanoseconds, endTimeUnixNano: nanoseconds },
  attributes,
  status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
});

/** What OTLP says of traces in JSON; a collector refuses the rest. */
const sent = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(span),
        }),
      ),
    }),
  ),
});

type SentSpan = z.infer<typeof span>;

/** A collector that keeps what it is sent, and answers as it is told. */
async function collector() {
  const requests: { path: string; key: string | undefined; spans: SentSpan[] }[] = [];
  const answers = { status: 200 };
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { success, data } = sent.safeParse(JSON.parse(Buffer.concat(pieces).toString()));
    if (!success || request.method !== "POST" || request.headers["content-type"] !== "application/json") {
      response.writeHead(400).end("{}");
      return;
    }
    const spans = data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans));
    requests.push({ path: request.url ?? "", key: String(request.headers["x-key"]), spans });
    response.writeHead(answers.status).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { requests, answers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function attribute(span: SentSpan | undefined, key: string) {
  const { value } = span?.attributes.find((each) => each.key === key) ?? {};
  if (!value) return undefined;
  return "stringValue" in value ? value.stringValue : Number(Object.values(value)[0]);
}

it("sends what a job did once it has ended, nothing twice, and nothing is lost while nobody listens", async () => {
  const project = await testProject({ scenario: inSmallWindows(6), agent: `session: { ${smallWindows} }` });
  vi.stubEnv("XDG_STATE_HOME", join(project.env.HOME ?? "", ".local", "state"));
  const { requests, answers, url } = await collector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`, OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b" };
  const to = collectorIn(env);
  if (!to || "wrong" in to) throw new Error("no collector");
  const told: string[] = [];
  const exporting = () =>
    new TraceExport([findProject({}, project.folder)], to, (trouble) => told.push(trouble));
  await baton(project, ["run", "--queue", "before anybody wanted traces"]);
  const { id: earlier } = await shown(project);
  expect((await baton(project, ["cancel", earlier])).code).toBe(0);
  await exporting().exportNow();
  expect(requests).toEqual([]);

  expect((await baton(project, ["run", "go"])).code).toBe(0);
  const { id, handoffs } = await shown(project);
  answers.status = 503;
  await expect(exporting().exportNow()).rejects.toThrow("answered 503");
  answers.status = 200;
  await exporting().exportNow();
  await exporting().exportNow();
  const [refused, taken, ...more] = requests;
  expect(more).toEqual([]);
  expect(taken).toMatchObject({ path: "/v1/traces", key: "a b" });
  // What is sent again after a failure is the same.
  expect(taken?.spans).toEqual(refused?.spans);

  const spans = taken?.spans ?? [];
  const run = spans.find(({ name }) => name === "job coder");
  const sessions = spans.filter(({ name }) => name === "invoke_agent coder");
  const ofHandoffs = spans.filter(({ name }) => name.startsWith("handoff "));
  expect(handoffs.length).toBeGreaterThan(0);
  expect([sessions.length, ofHandoffs.length]).toEqual([handoffs.length + 1, handoffs.length]);
  expect(attribute(run, "baton.job.id")).toBe(id);
  expect(attribute(run, "baton.job.status")).toBe("completed");
  expect(attribute(sessions[0], "gen_ai.operation.name")).toBe("invoke_agent");
  expect(attribute(sessions[0], "gen_ai.usage.input_tokens")).toBeGreaterThan(0);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  for (const span of [...sessions, ...ofHandoffs]) {
    expect(span.parentSpanId).toBe(run?.spanId);
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  }
  expect(told).toEqual([]);
});

it("goes by the variables of OpenTelemetry", () => {
  expect(collectorIn({})).toBeUndefined();
  expect(collectorIn({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/in" })).toMatchObject({
    url: "http://127.0.0.1:4318/in",
    service: "baton",
  });
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4317" };
  expect(collectorIn({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toHaveProperty("wrong");
  expect(collectorIn({ OTEL_EXPORTER_OTLP_ENDPOINT: "nowhere" })).toHaveProperty("wrong");
  expect(collectorIn({ ...endpoint, OTEL_SDK_DISABLED: "true" })).toBeUndefined();
});
