import { costFigure } from "../../job/cost.ts";
import type { Job } from "../../job/job.ts";
import { timeAtWork } from "../../job/limits.ts";
import { listJobs } from "../../store/jobs.ts";
import { DAY_MS } from "../../util/time.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";
import { schedulesOf, upcoming } from "./schedules-view.ts";
import { type FleetView, fleetOfProject } from "./view.ts";

/** What is to happen in the next 24 hours: its keys are a promise to users. */
export interface Plan {
  fleet: FleetView;
  fires: { at: string; agent: string; schedule: string; expected?: Expected }[];
  /** Of the agents of the jobs that are queued and that will be. */
  expected: Record<string, Expected>;
  /** Of all of them together, where every agent has completed a job before. */
  expectedCostUsd?: number;
  /** More come than are listed. */
  isCut: boolean;
}

/** What the last jobs of an agent took: an estimate of what the next takes. */
export interface Expected {
  jobs: number;
  costUsd: number;
  durationMs: number;
}

const MOST_FIRES = 200;
const LAST_JOBS = 20;

export async function planOf(project: Project, now: Date): Promise<Plan> {
  const config = await configOf(project);
  const views = await schedulesOf(project, now);
  const until = new Date(now.getTime() + DAY_MS);
  const all = upcoming(config, views, { until, most: MOST_FIRES + 1 });
  const fires = all.slice(0, MOST_FIRES);
  const fleet = await fleetOfProject(project);
  const agents = [...new Set([...fires, ...fleet.queue].map(({ agent }) => agent))];
  const expected = await expectations(project, agents);
  const costs = [...fires, ...fleet.queue].map(({ agent }) => expected[agent]?.costUsd);
  const isKnown = costs.length > 0 && costs.every((cost) => cost !== undefined);
  return {
    fleet,
    fires: fires.map(({ at, agent, schedule }) => {
      const one = expected[agent];
      return { at: at.toISOString(), agent, schedule, ...(one && { expected: one }) };
    }),
    expected,
    ...(isKnown && { expectedCostUsd: costs.reduce((sum, cost) => sum + (cost ?? 0), 0) }),
    isCut: all.length > MOST_FIRES,
  };
}

async function expectations(project: Project, agents: readonly string[]): Promise<Record<string, Expected>> {
  if (!hasStore(project)) return {};
  await using store = await lookIntoStore(project);
  const known: [string, Expected][] = [];
  for (const agent of agents) {
    const jobs = await listJobs(store, LAST_JOBS, { agent, status: "completed" });
    if (jobs.length > 0) known.push([agent, expectedFrom(jobs)]);
  }
  return Object.fromEntries(known);
}

function expectedFrom(jobs: readonly Job[]): Expected {
  return {
    jobs: jobs.length,
    costUsd: middle(jobs.map((job) => costFigure(job).costUsd ?? 0)),
    durationMs: middle(jobs.map((job) => timeAtWork(job, new Date(job.updatedAt)))),
  };
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
