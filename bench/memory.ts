import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Scenario } from "../src/simulator/scenario.ts";
import { startSimulator } from "../src/simulator/server.ts";
import type { Measure } from "./measure.ts";
import { baton, type Place, type Program } from "./programs.ts";
import { freshProject } from "./project.ts";

const JOBS = 10;
const TURNS_BEFORE = 5;

/** What Baton itself needs for ten jobs that run in one process, agents not counted. */
export async function measureJobsInOneProcess(): Promise<Measure> {
  const script = fileURLToPath(new URL("./jobs-in-one-process.ts", import.meta.url));
  const program = { command: process.execPath, args: [script, String(JOBS)] };
  const { megabytes, printed } = await whileAllRun([program]);
  const idle = JSON.parse(printed[0] ?? "{}").idleBytes / 1e6;
  return {
    name: "memory",
    value: megabytes,
    unit: "MB",
    detail: {
      compared: `resident memory of one process with ${JOBS} jobs at work`,
      perJobMB: megabytes / JOBS,
      idleMB: idle,
      addedPerJobMB: (megabytes - idle) / JOBS,
      jobs: JOBS,
      turnsBefore: TURNS_BEFORE,
    },
  };
}

/** What Baton itself needs for ten jobs that are each a `baton run`, agents not counted. */
export async function measureJobsAsProcesses(): Promise<Measure> {
  const program = baton("run", "coder", "Take your turns.", "--json");
  const { megabytes } = await whileAllRun(Array.from({ length: JOBS }, () => program));
  return {
    name: "memory-processes",
    value: megabytes,
    unit: "MB",
    detail: {
      compared: `resident memory of ${JOBS} processes with one job at work each`,
      perJobMB: megabytes / JOBS,
      jobs: JOBS,
      turnsBefore: TURNS_BEFORE,
    },
  };
}

/** Starts the programs and looks at their memory when every job waits for the same turn's answer. */
async function whileAllRun(programs: Program[]): Promise<{ megabytes: number; printed: string[] }> {
  const { scenario, allHeld, release } = heldScenario();
  await using simulator = await startSimulator(scenario);
  await using project = await freshProject(simulator);
  const children = programs.map((program) => start(program, project));
  try {
    const ended = children.map(({ exit }) =>
      exit.then(() => Promise.reject(new Error("A job ended early."))),
    );
    await Promise.race([allHeld, ...ended]);
    const sizes = await Promise.all(children.map(({ child }) => residentMegabytes(child)));
    release();
    for (const { exit } of children) await exit;
    const megabytes = sizes.reduce((sum, size) => sum + size, 0);
    return { megabytes, printed: children.flatMap(({ printed }) => printed) };
  } finally {
    for (const { child } of children) child.kill("SIGTERM");
    await Promise.allSettled(children.map(({ exit }) => exit));
  }
}

function heldScenario(): { scenario: Scenario; allHeld: Promise<void>; release: () => void } {
  const all = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let held = 0;
  const scenario: Scenario = {
    name: "held",
    summary: `${TURNS_BEFORE} turns, and then an answer that waits for ${JOBS} jobs`,
    async otherwise({ turns }) {
      if (turns < TURNS_BEFORE) return { call: { tool: "Bash", input: { command: `echo ${turns}` } } };
      held++;
      if (held === JOBS) all.resolve();
      await released.promise;
      return { say: "Done." };
    },
  };
  return { scenario, allHeld: all.promise, release: released.resolve };
}

interface Started {
  child: ChildProcess;
  printed: string[];
  /** Rejects when the program failed. */
  exit: Promise<void>;
}

function start({ command, args }: Program, { folder, env }: Place): Started {
  const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const printed: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => printed.push(line));
  const exit = once(child, "close").then(([code]) => {
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with code ${code}.`);
  });
  return { child, printed, exit };
}

async function residentMegabytes({ pid }: ChildProcess): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return (Number(stdout) * 1024) / 1e6;
}
