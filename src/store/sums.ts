import { type SqlBool, sql } from "kysely";
import type { TokenUsage } from "../agents/events.ts";
import type { CostBasis, JobStatus } from "../job/job.ts";
import type { TimeSplit } from "../job/time-split.ts";
import { timeSplitIn } from "./job-row.ts";
import type { Store } from "./store.ts";
import type { Figures } from "./tables.ts";

/** What jobs add up to that are alike in agent, status and in what their cost is known by. */
export interface JobSum {
  agent: string;
  status: JobStatus;
  costBasis: CostBasis;
  jobs: number;
  turns: number;
  usage: TokenUsage;
  costUsd: number;
  simulatedUsd: number;
  /** Of how many of them it is known where their time went. */
  timed: number;
  time: TimeSplit;
}

/** Of all jobs, as the database keeps it; or of those that began since, one by one. */
export async function sumsOfJobs(
  { db }: Store,
  { agent, createdSince }: { agent?: string; createdSince?: Date } = {},
): Promise<JobSum[]> {
  if (!createdSince) {
    let kept = db.selectFrom("job_sums").selectAll().where("jobs", ">", 0);
    if (agent !== undefined) kept = kept.where("agent", "=", agent);
    return (await kept.orderBy("agent").execute()).map(sumIn);
  }
  let query = db
    .selectFrom("jobs")
    .select((is) => [
      "agent",
      "status",
      "cost_basis",
      is.fn.countAll<number>().as("jobs"),
      ...FIGURES.map((name) => is.fn.sum<number>(name).as(name)),
    ])
    .where("created_at", ">=", createdSince.toISOString());
  if (agent !== undefined) query = query.where("agent", "=", agent);
  return (await query.groupBy(["agent", "status", "cost_basis"]).orderBy("agent").execute()).map(sumIn);
}

/** What a job, or many of them, has cost. */
const COSTS = ["turns", "input", "output", "cache_read", "cache_write", "cost_usd", "simulated_usd"] as const;

const FIGURES: readonly (keyof Figures)[] = [
  ...COSTS,
  "timed",
  ...(["model_ms", "tools_ms", "handoffs_ms", "setup_ms", "slot_ms"] as const),
  ...(["limit_ms", "retries_ms", "person_ms", "stopped_ms", "asleep_ms"] as const),
];

type SumRow = Figures & Pick<JobSum, "agent" | "status" | "jobs"> & { cost_basis: CostBasis };

function sumIn(row: SumRow): JobSum {
  const { agent, status, jobs, timed } = row;
  return { agent, status, jobs, timed, ...costIn(row), time: timeSplitIn(row) };
}

/** What a job has cost. */
export type JobCost = Pick<JobSum, "costBasis" | "turns" | "usage" | "costUsd" | "simulatedUsd"> & {
  id: string;
};

/** The jobs that cost most, of those that began since; what was simulated counts last. */
export async function costliestJobs(
  { db }: Store,
  limit: number,
  { createdSince }: { createdSince?: Date } = {},
): Promise<JobCost[]> {
  let query = db.selectFrom("jobs").select(["id", "cost_basis", ...COSTS]);
  if (createdSince) query = query.where(sql<SqlBool>`created_at >= ${createdSince.toISOString()}`);
  const rows = await query
    // In the words of the index.
    .orderBy(sql`cost_usd - simulated_usd`, "desc")
    .orderBy("cost_usd", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: row.id, ...costIn(row) }));
}

type CostRow = Pick<SumRow, "cost_basis" | "turns" | "input" | "output" | "cache_read" | "cache_write"> &
  Pick<SumRow, "cost_usd" | "simulated_usd">;

function costIn(row: CostRow) {
  const { turns, input, output, cache_read: cacheRead, cache_write: cacheWrite } = row;
  return {
    costBasis: row.cost_basis,
    turns,
    usage: { input, output, cacheRead, cacheWrite },
    costUsd: row.cost_usd,
    simulatedUsd: row.simulated_usd,
  };
}
