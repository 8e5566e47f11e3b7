import { type Metric, metricsOf } from "../app/served/metrics.ts";
import type { Caller } from "./guards/caller.ts";
import type { Web } from "./web.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** What Prometheus reads, of the projects that a token may see. */
export async function metricsText(web: Web, { principal }: Caller): Promise<string> {
  const streams: Metric = {
    ...{ name: "baton_streams", help: "Streams that are open at this server.", type: "gauge" },
    samples: [{ labels: {}, value: web.limits.streams }],
  };
  return [...(await metricsOf(web.served.seenBy(principal))), streams].map(inText).join("");
}

function inText({ name, help, type, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => `${name}${labelsIn(labels)} ${value}`);
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n")}\n`;
}

function labelsIn(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
