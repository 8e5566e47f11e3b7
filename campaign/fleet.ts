import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agentEnvironment } from "../src/simulator/environment.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { startSimulator } from "../src/simulator/server.ts";
import { judgeBudget, judgeFires, judgeFleet } from "./fleet-judge.ts";
import {
  configure,
  DEADLY,
  fill,
  firesIn,
  LIMITS,
  makeFleetProject,
  queuePaused,
  spentIn,
  statusesIn,
} from "./fleet-project.ts";
import { readStore } from "./look.ts";
import { Household, kill } from "./processes.ts";
import { pick, randomFrom } from "./random.ts";

const INTERVAL_MS = 60_000;
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
  // Of this process, too: what it queues and agrees to is of the same user.
  process.env.XDG_STATE_HOME = join(top, ".local", "state");
  const place = { folder, env };
  const began = performance.now();
  await makeFleetProject(place);
  await fill(folder, queued);
  const random = randomFrom(seed);
  const problems: string[] = [];
  let struck = 0;
  let isCapped = true;
  let thoughtDeadly = 0;
  try {
    while (!signal.aborted) {
      // As a person would who has looked.
      thoughtDeadly += await queuePaused(folder, DEADLY);
      const { completed, left, areAllHeld } = standing(folder, isCapped);
      if (isCapped && areAllHeld) {
        isCapped = false;
        problems.push(...overrunsIn(folder));
        configure(place, "raised");
        await queuePaused(folder);
      }
      say(
        `${completed} of ${completed + left} jobs, ${struck} of ${kills} kills, ${Math.round((performance.now() - began) / 1000)} s`,
      );
      if (left === 0) break;
      const fleet = await start(folder, env);
      const isLast = struck >= kills;
      const after = isLast ? Number.POSITIVE_INFINITY : SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS);
      const isOver = () => {
        const { left, areAllHeld } = standing(folder, isCapped);
        return left === 0 || areAllHeld;
      };
      await waitFor(() => isOver() || signal.aborted || fleet.hasEnded(), after);
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
  const fires = firesIn(folder);
  const fired = fires.filter(({ job }) => job !== null).length;
  const verdict = judgeFleet(events, queued + fired, LIMITS);
  if (isCapped) problems.push("no budget was ever used up");
  const all = [...problems, ...verdict.problems, ...judgeFires(fires, INTERVAL_MS)];
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
      thoughtDeadly,
      mostAtOnce,
      fired,
      due: fires.reduce((sum, { count }) => sum + count, 0),
      limits: LIMITS,
      seconds,
      problems: all.length,
    }),
  );
  return all.length === 0;
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

function standing(
  folder: string,
  isCapped: boolean,
): { completed: number; left: number; areAllHeld: boolean } {
  const rows = statusesIn(folder);
  const sumOf = (some: typeof rows) => some.reduce((sum, { jobs }) => sum + jobs, 0);
  const completed = sumOf(rows.filter(({ status }) => status === "completed"));
  const open = rows.filter(({ status }) => status !== "completed");
  const spent = spentIn(folder);
  const areAllHeld = open.every(
    ({ agent, status, code }) =>
      code === DEADLY ||
      (isCapped &&
        (status === "queued" || status === "paused") &&
        (spent[agent] ?? 0) >= (capOf(agent) ?? Infinity) - CENT),
  );
  return { completed, left: sumOf(open), areAllHeld: areAllHeld && open.length > 0 };
}

const CENT = 1e-6;
const capOf = (agent: string) => Object.entries(LIMITS.caps).find(([name]) => name === agent)?.[1];

function overrunsIn(folder: string): string[] {
  const { events } = readStore({ folder });
  const instances: Record<string, number> = LIMITS.instances;
  return Object.entries(LIMITS.caps).flatMap(([agent, cap]) =>
    judgeBudget(events, { agent, cap, atOnce: instances[agent] ?? 1 }),
  );
}
