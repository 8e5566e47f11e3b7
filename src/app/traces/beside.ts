import type { Project } from "../project.ts";
import { TraceExport } from "./export.ts";
import { collectorIn } from "./otlp.ts";

/** Sends traces beside a fleet, where the environment names a collector. */
export function tracesBeside(
  projects: readonly Project[],
  env: NodeJS.ProcessEnv,
  tell: (trouble: string) => void,
): AsyncDisposable | undefined {
  const collector = collectorIn(env);
  if (!collector) return undefined;
  if ("wrong" in collector) {
    tell(`No traces are sent: ${collector.wrong}`);
    return undefined;
  }
  const exporting = new TraceExport(projects, collector, tell);
  exporting.begin();
  return exporting;
}
