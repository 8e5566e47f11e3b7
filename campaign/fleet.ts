import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { enqueue } from "../src/app/fleet/enqueue.ts";
import { configOf } from "../src/app/project.ts";
import { agentEnvironment } from "../src/simulator/environment.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { startSimulator } from "../src/simulator/server.ts";
import { agreeIn } from "../test/agree.ts";
import { judgeFleet } from "./fleet-judge.ts";
import { countsIn, readStore } from "./look.ts";
import { Household, kill } from "./processes.ts";
import { git } from "./project.ts";
import { pick, randomFrom } from "./random.ts";

const LIMITS = { slots: 4, instances: { coder: 3, reviewer: 2 } };
const PROGRAM = join(import.meta.dirname, "..", "test", "scripted", "baton.ts");
/** How long what ran may outlive its fleet. */
const ORPHAN_MS = 3_000;
const LOOK_MS = 100;
/** Of a fleet that is killed, after it has begun. */
const [SHORTEST_MS, LONGEST_MS] = [100, 4_000];

interface FleetCampaign {
  /** A folder for it alone. */
  top: string;
  queued: number;
  kills: number;
  seed: number;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** Each job does one thing, once: its file has a line for each time. */
const scenario: Scenario = {
  name: "fleet",
  summary: "One short command a job",
  otherwise({ results }) {
    if (results.some(({ text }) => text.includes("was done"))) return { say: "Done." };
    const command = 'mkdir -p done && sleep 0.05 && echo once >> "done/$BATON_JOB_ID" && echo "was" "done"';
    return { delayMs: 20, call: { tool: "Bash", input: { command, description: "Do it" } } };
  },
};

/** Hundreds of jobs through a few slots, while the fleet is killed again and again. True where nothing went wrong. */
export async function fleetCampaign({
  top,
  queued,
  kills,
  seed,
  signal,
  say,
}: FleetCampaign): Promise<boolean> {
  const folder = join(top, "project");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "baton.yaml"), configuration());
  await git(folder, "init", "-q", "-b", "main");
  await git(
    folder,
    "-c",
    "user.name=Campaign",
    "-c",
    "user.email=c@example.invalid",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "Begin",
  );
  const simulator = await startSimulator(scenario, { keep: 1 });
  const household = new Household(`fleet-${process.pid}`);
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: top,
    TERM: "dumb",
    NODE_COMPILE_CACHE: join(top, "compiled"),
    ...agentEnvironment(simulator, join(top, "claude")),
    CLAUDE_CODE_MAX_RETRIES: "1",
    [household.mark.name]: household.mark.value,
  };
  agreeIn({ folder, env });
  const began = performance.now();
  await fill(folder, top, queued);
  const random = randomFrom(seed);
  const problems: string[] = [];
  let struck = 0;
  try {
    while (!signal.aborted) {
      const { completed, left } = standing(folder);
      say(
        `${completed} of ${queued} jobs, ${struck} of ${kills} kills, ${Math.round((performance.now() - began) / 1000)} s`,
      );
      if (left === 0) break;
      const fleet = await start(folder, env);
      const isLast = struck >= kills;
      const after = isLast ? Number.POSITIVE_INFINITY : SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS);
      await waitFor(() => standing(folder).left === 0 || signal.aborted || fleet.hasEnded(), after);
      if (fleet.hasEnded()) problems.push(`the fleet ended by itself: ${fleet.printed().slice(-300)}`);
      const victim = pick(random, { fleet: 3, "all at once": 1 });
      if (victim === "all at once") for (const { pid } of (await household.look()).marked) kill(pid);
      fleet.kill();
      await fleet.exit;
      struck++;
      for (const { command } of await household.gone(ORPHAN_MS))
        problems.push(`left running: ${command.slice(0, 100)}`);
      if (problems.length > 20) break;
    }
  } finally {
    await household.end();
    await simulator.close();
  }
  const { integrity, events } = readStore({ folder });
  if (integrity !== "ok") problems.push(`the store is broken: ${integrity}`);
  const verdict = judgeFleet(events, queued, LIMITS);
  const all = [...problems, ...verdict.problems];
  say("");
  for (const line of all.slice(0, 50)) console.log(`FAILED: ${line}`);
  const seconds = Math.round((performance.now() - began) / 1000);
  const { jobs, completed, continued, mostAtOnce } = verdict;
  console.log(
    JSON.stringify({
      ok: all.length === 0,
      seed,
      jobs,
      completed,
      kills: struck,
      continued,
      mostAtOnce,
      limits: LIMITS,
      seconds,
      problems: all.length,
    }),
  );
  return all.length === 0;
}

function configuration(): string {
  const agents = Object.entries(LIMITS.instances).map(
    ([name, most]) =>
      `  - name: ${name}\n    model: claude-sonnet-4-5\n    permission_mode: bypassPermissions\n    instances: { max_concurrent: ${most} }\n`,
  );
  return `fleet: { max_concurrent: ${LIMITS.slots} }\nagents:\n${agents.join("")}`;
}

/** In this process, whose state is beside the project meanwhile. */
async function fill(folder: string, top: string, queued: number): Promise<void> {
  process.env.XDG_STATE_HOME = join(top, ".local", "state");
  const project = { root: folder, configPath: join(folder, "baton.yaml") };
  const config = await configOf(project);
  const names = Object.keys(LIMITS.instances);
  for (let job = 0; job < queued; job++) {
    const agent = names[job % names.length];
    await enqueue(project, { config, agent, prompt: `Do it, ${job}.`, origin: {} });
  }
}

async function start(folder: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [PROGRAM, "start", "--json"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  let hasEnded = false;
  const exit = once(child, "exit").then(() => {
    hasEnded = true;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-4_000);
    });
  }
  const begun = once(child.stdout, "data");
  await Promise.race([begun, exit]);
  return { kill: () => child.kill("SIGKILL"), exit, hasEnded: () => hasEnded, printed: () => printed };
}

async function waitFor(holds: () => boolean, mostMs: number): Promise<void> {
  const deadline = performance.now() + mostMs;
  while (!holds() && performance.now() < deadline)
    await sleep(Math.min(LOOK_MS, Math.max(1, deadline - performance.now())));
}

function standing(folder: string): { completed: number; left: number } {
  const counts = countsIn(folder);
  const completed = counts.completed ?? 0;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { completed, left: all - completed };
}
