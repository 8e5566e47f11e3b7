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

/** Of jobs with which the fleet died too often in a row: it was killed before any of them had done anything. */
export const DEADLY = "owner_dies";

/** Those that are paused, all of them or for one reason, wait for a slot again. Returns how many. */
export async function queuePaused(folder: string, code?: string): Promise<number> {
  const paused = inStore(folder, (database) =>
    database
      .prepare<[], { id: string; code: string | null }>(
        "SELECT id, json_extract(snapshot, '$.pauseCode') AS code FROM jobs WHERE status = 'paused'",
      )
      .all(),
  ).filter((job) => code === undefined || job.code === code);
  for (const { id } of paused) await enqueueResting(projectIn(folder), id, {});
  return paused.length;
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

interface Standing {
  agent: string;
  status: string;
  /** Of those that are paused. */
  code: string | null;
  jobs: number;
}

/** How many jobs of each agent are in each state. */
export function statusesIn(folder: string): Standing[] {
  return inStore(folder, (database) =>
    database
      .prepare<[], Standing>(
        `SELECT agent, status, iif(status = 'paused', json_extract(snapshot, '$.pauseCode'), NULL) AS code, count(*) AS jobs
         FROM jobs GROUP BY agent, status, code`,
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
