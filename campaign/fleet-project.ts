import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { enqueue, enqueueResting } from "../src/app/fleet/enqueue.ts";
import { configOf, type Project } from "../src/app/project.ts";
import type { Tables } from "../src/store/tables.ts";
import { agreeIn } from "../test/agree.ts";
import { git } from "./project.ts";

/** `caps`: what an agent may spend at first, in dollars that nobody pays. */
export const LIMITS = {
  slots: 4,
  instances: { coder: 3, reviewer: 2, auditor: 1 },
  caps: { reviewer: 0.15, auditor: 0.1 },
};

/** What holds no more once it was seen to hold. */
const RAISED = 1_000;
const SCHEDULED = "coder";

export interface FleetPlace {
  folder: string;
  env: Record<string, string>;
}

export async function makeFleetProject(place: FleetPlace): Promise<void> {
  const { folder } = place;
  mkdirSync(folder, { recursive: true });
  configure(place, "capped");
  await git(folder, "init", "-q", "-b", "main");
  const who = ["-c", "user.name=Campaign", "-c", "user.email=c@example.invalid"];
  await git(folder, ...who, "commit", "-q", "--allow-empty", "-m", "Begin");
}

export function configure(place: FleetPlace, budgets: "capped" | "raised"): void {
  const agents = Object.entries(LIMITS.instances).map(
    ([name, most]) =>
      `  - name: ${name}\n    model: claude-sonnet-4-5\n    permission_mode: bypassPermissions\n    instances: { max_concurrent: ${most} }\n${
        name === SCHEDULED
          ? "    schedules: { tick: { type: interval, interval: 1m, prompt: Do it. } }\n"
          : ""
      }`,
  );
  const caps = Object.entries(LIMITS.caps).map(
    ([agent, usd]) =>
      `  - { scope: agent, agent: ${agent}, per: month, cost_usd: ${budgets === "capped" ? usd : RAISED}, then: pause, simulated: true }\n`,
  );
  writeFileSync(
    join(place.folder, "baton.yaml"),
    `fleet: { max_concurrent: ${LIMITS.slots} }\nbudgets:\n${caps.join("")}agents:\n${agents.join("")}`,
  );
  agreeIn(place);
}

const projectIn = (folder: string): Project => ({ root: folder, configPath: join(folder, "baton.yaml") });

export async function fill(folder: string, queued: number): Promise<void> {
  const project = projectIn(folder);
  const config = await configOf(project);
  const names = Object.keys(LIMITS.instances);
  for (let job = 0; job < queued; job++) {
    await enqueue(project, {
      config,
      agent: names[job % names.length],
      prompt: `Do it, ${job}.`,
      origin: {},
    });
  }
}

/** Those that a budget paused wait for a slot again. */
export async function queuePaused(folder: string): Promise<void> {
  const paused = inStore(folder, (database) =>
    database.prepare<[], string>("SELECT id FROM jobs WHERE status = 'paused'").pluck().all(),
  );
  for (const id of paused) await enqueueResting(projectIn(folder), id, {});
}

/** What each agent has spent, by the figures that budgets go by. */
export function spentIn(folder: string): Record<string, number> {
  const rows = inStore(folder, (database) =>
    database
      .prepare<[], { agent: string; usd: number }>(
        "SELECT agent, sum(cost_usd) AS usd FROM spend GROUP BY agent",
      )
      .all(),
  );
  return Object.fromEntries(rows.map(({ agent, usd }) => [agent, usd]));
}

export function firesIn(folder: string): Tables["fires"][] {
  return inStore(folder, (database) =>
    database.prepare<[], Tables["fires"]>("SELECT * FROM fires ORDER BY due").all(),
  );
}

/** How many jobs of each agent are in each state. */
export function statusesIn(folder: string): { agent: string; status: string; jobs: number }[] {
  return inStore(folder, (database) =>
    database
      .prepare<[], { agent: string; status: string; jobs: number }>(
        "SELECT agent, status, count(*) AS jobs FROM jobs GROUP BY agent, status",
      )
      .all(),
  );
}

function inStore<T>(folder: string, work: (database: Database.Database) => T): T {
  const database = new Database(join(folder, ".baton", "baton.db"), { readonly: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
