import { createHash } from "node:crypto";
import type { Span } from "../../job/spans.ts";
import { version } from "../../version.ts";

/** Where traces go, by the variables that every exporter of OpenTelemetry reads. */
export interface Collector {
  url: string;
  headers: Record<string, string>;
  service: string;
}

/** Undefined: none is named. */
export function collectorIn(env: NodeJS.ProcessEnv): Collector | { wrong: string } | undefined {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const all = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const named = own || (all && `${all.replace(/\/+$/, "")}/v1/traces`);
  if (!named || env.OTEL_SDK_DISABLED === "true") return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === "grpc")
    return {
      wrong:
        "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and Baton sends http/json. Name the HTTP port of the collector.",
    };
  if (!URL.canParse(named) || !/^https?:$/.test(new URL(named).protocol))
    return { wrong: "OTEL_EXPORTER_OTLP_ENDPOINT is no address of the form http://127.0.0.1:4318." };
  return {
    url: named,
    headers: headersIn(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS || ""),
    service: env.OTEL_SERVICE_NAME || "baton",
  };
}

/** `key=value,key=value`, each value as in an address. */
function headersIn(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The trace of a job. Its ids are always the same, so that what is sent again after a kill is not there twice. */
export interface Trace {
  /** The folder of the job's project. */
  root: string;
  job: string;
  spans: readonly Span[];
}

/** As OTLP has it in JSON. */
export function otlp(traces: readonly Trace[], service: string): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes({ "service.name": service, "service.version": version() }) },
        scopeSpans: [
          {
            scope: { name: "baton", version: version() },
            spans: traces.flatMap((trace) => trace.spans.map((span) => inOtlp(trace, span))),
          },
        ],
      },
    ],
  };
}

const INTERNAL = 1;
const [OK, ERROR] = [1, 2];
const LONGEST = 300;

function inOtlp(
  { root, job }: Trace,
  { key, parent, name, start, end, attributes: given, error }: Span,
): object {
  const id = (of: string) => hexOf(`${root}\n${job}\n${of}`, 16);
  return {
    traceId: hexOf(`${root}\n${job}`, 32),
    spanId: id(key),
    ...(parent !== undefined && { parentSpanId: id(parent) }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributes(given),
    status: error === undefined ? { code: OK } : { code: ERROR, message: error.slice(0, LONGEST) },
  };
}

function hexOf(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

function nanoseconds(at: string): string {
  return `${Date.parse(at)}000000`;
}

function attributes(given: Span["attributes"]): object[] {
  return Object.entries(given).map(([key, value]) => ({ key, value: inAny(value) }));
}

function inAny(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
