import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agreeIn } from "../test/agree.ts";
import type { Measure } from "./measure.ts";
import { jsonLines, MODEL, PERMISSION_MODE, run } from "./programs.ts";
import { freshProject } from "./project.ts";

const SECONDS = 10;
const LIMIT_MS = 50;

interface Figures {
  startedMs: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  idleP99Ms: number;
  eventsPerSecond: number;
  /** Processor time, which a busy machine changes less than the delay. */
  cpuMsPerEvent: number;
  idleMB: number;
  busyMB: number;
}

/** How long a fleet of very many jobs in one process keeps anything else in it waiting. */
export async function measureFleet(): Promise<Measure[]> {
  return [await measured(1_000, 1), await measured(200, 10)];
}

/** In a folder each: who works in one folder at once is another measure's matter. */
const AGENTS = 20;

async function writeConfig(folder: string, jobs: number): Promise<void> {
  const agents = Array.from({ length: AGENTS }, (_, index) => {
    mkdirSync(join(folder, `work-${index}`));
    return `  - name: coder-${index}
    model: ${MODEL}
    permission_mode: ${PERMISSION_MODE}
    working_directory: work-${index}
    instances: { max_concurrent: ${jobs} }
`;
  });
  await writeFile(
    join(folder, "baton.yaml"),
    `fleet: { max_concurrent: ${jobs} }\nagents:\n${agents.join("")}`,
  );
}

async function measured(jobs: number, perSecond: number): Promise<Measure> {
  await using project = await freshProject({ url: "http://127.0.0.1:1" });
  await writeConfig(project.folder, jobs);
  agreeIn(project);
  const script = fileURLToPath(new URL("./fleet-process.ts", import.meta.url));
  const args = [script, String(jobs), String(perSecond), String(SECONDS)];
  const printed = await run({ command: process.execPath, args }, project);
  const [figures] = jsonLines<Figures>(printed);
  if (!figures) throw new Error(`No figures: ${printed}`);
  return {
    name: `fleet-${jobs}`,
    value: figures.p99Ms,
    unit: "ms",
    limit: LIMIT_MS,
    detail: {
      compared: `event-loop delay, 99th percentile, of one process with ${jobs} jobs that write ${perSecond} durable events a second each`,
      ...figures,
      addedPerJobMB: (figures.busyMB - figures.idleMB) / jobs,
      seconds: SECONDS,
    },
  };
}
