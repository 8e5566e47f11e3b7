import type { TokenUsage } from "../../agents/events.ts";
import { costFigure, usageFigure } from "../../job/cost.ts";
import type { CostBasis } from "../../job/job.ts";
import { type Amounts, NOTHING, quarterOf, sum } from "../../job/spend.ts";
import { latestQuarter, spendByModel, spendByQuarter } from "../../store/spend.ts";
import type { Store } from "../../store/store.ts";
import { costliestJobs, type JobSum, sumsOfJobs } from "../../store/sums.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";

/** By what a project's spending can be told apart. */
export type CostsBy = "day" | "agent" | "job" | "model";

/** What was spent on a day, by an agent, in a job or on a model. */
export interface SpentOn {
  on: string;
  amounts: Amounts;
}

export interface SpentBy {
  /** Days: the newest first. All else: the most expensive first. */
  rows: SpentOn[];
  /** Whether there are others. */
  hasMore: boolean;
  total: Amounts;
}

/** What of it is asked for. */
export interface SpentWanted {
  since?: Date;
  /** How many rows at most. */
  limit: number;
}

/**
 * What a project has spent. Days are those of this machine. A job counts with all that it cost, if it began since then; by
 * day, agent and model it is what models answered since then, in whatever job.
 */
export async function spentBy(project: Project, by: CostsBy, wanted: SpentWanted): Promise<SpentBy> {
  if (!hasStore(project)) return { rows: [], hasMore: false, total: NOTHING };
  await using store = await lookIntoStore(project);
  return await spentInStore(store, by, wanted);
}

export async function spentInStore(store: Store, by: CostsBy, wanted: SpentWanted): Promise<SpentBy> {
  switch (by) {
    case "day":
      return byDay(store, wanted);
    case "job":
      return byJob(store, wanted);
    case "agent":
    case "model":
      return grouped(await spendByModel(store, wanted.since), (spend) => spend[by], byCost, wanted.limit);
  }
}

/** What several projects have spent together. */
export function totalOf(all: readonly Pick<SpentBy, "total">[]): Amounts {
  return all.map(({ total }) => total).reduce(sum, NOTHING);
}

async function byJob(store: Store, { since, limit }: SpentWanted): Promise<SpentBy> {
  const begun = since ? { createdSince: since } : {};
  const sums = await sumsOfJobs(store, begun);
  const jobs = await costliestJobs(store, limit, begun);
  return {
    rows: jobs.map((job) => ({ on: job.id, amounts: amountsOf({ ...job, jobs: 1 }) })),
    hasMore: jobs.length < sums.reduce((all, { jobs }) => all + jobs, 0),
    total: sums.map(amountsOf).reduce(sum, NOTHING),
  };
}

async function byDay(store: Store, { since, limit }: SpentWanted): Promise<SpentBy> {
  const { from, hasMore } = await firstDay(store, limit, since);
  const { rows } = byDays(from ? await spendByQuarter(store, from) : []);
  return { rows, hasMore, total: (await spendByModel(store, since)).reduce<Amounts>(sum, NOTHING) };
}

export function byDays(quarters: readonly (Amounts & { quarter: string })[]): SpentBy {
  const newestFirst = (a: SpentOn, b: SpentOn) => (a.on < b.on ? 1 : -1);
  return grouped(quarters, ({ quarter }) => dayOf(new Date(quarter)), newestFirst, quarters.length);
}

/** The beginning of the earliest of so many days on which something was spent. Those before it are not looked at. */
async function firstDay(
  store: Store,
  limit: number,
  since: Date | undefined,
): Promise<{ from: Date | undefined; hasMore: boolean }> {
  let from: Date | undefined;
  for (let days = 0; ; days++) {
    const before = await latestQuarter(store, from);
    if (!before || (since && before < new Date(quarterOf(since)))) return { from, hasMore: false };
    if (days === limit) return { from, hasMore: true };
    const midnight = new Date(before.getFullYear(), before.getMonth(), before.getDate());
    from = since && since > midnight ? since : midnight;
  }
}

function grouped<T extends Amounts>(
  spends: readonly T[],
  key: (spend: T) => string,
  order: (a: SpentOn, b: SpentOn) => number,
  limit: number,
): SpentBy {
  const rows = [...Map.groupBy(spends, key)].map(([on, its]) => ({
    on,
    amounts: its.reduce<Amounts>(sum, NOTHING),
  }));
  return {
    rows: rows.toSorted(order).slice(0, limit),
    hasMore: rows.length > limit,
    total: spends.reduce<Amounts>(sum, NOTHING),
  };
}

const byCost = (a: SpentOn, b: SpentOn) =>
  b.amounts.costUsd - b.amounts.simulatedUsd - (a.amounts.costUsd - a.amounts.simulatedUsd) ||
  b.amounts.costUsd - a.amounts.costUsd ||
  (a.on < b.on ? -1 : 1);

/** By the clock of this machine. */
function dayOf(at: Date): string {
  const two = (figure: number) => String(figure).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

type Cost = Pick<JobSum, "jobs" | "costUsd" | "costBasis" | "simulatedUsd" | "turns" | "usage">;

function amountsOf({ jobs, costUsd, costBasis, simulatedUsd, turns, usage }: Cost): Amounts {
  return {
    costUsd,
    simulatedUsd,
    estimatedUsd: costBasis === "told" ? 0 : costUsd,
    unknown: costBasis === "unknown" ? jobs : 0,
    responses: turns,
    input: usage.input,
    output: usage.output,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
  };
}

/** Sums of fractions are off by less. */
const A_MICRODOLLAR = 1e-6;

/** As the words for the cost of a job have it. What is not known of some sessions is told beside it. */
export function costIn({ costUsd, simulatedUsd, estimatedUsd }: Amounts): {
  costUsd: number;
  costBasis: CostBasis;
  simulatedUsd: number;
} {
  const isEstimate = Math.abs(estimatedUsd) > A_MICRODOLLAR;
  return { costUsd, simulatedUsd, costBasis: isEstimate ? "estimated" : "told" };
}

/** Null where there were answers, and no program said what they took. */
export function tokensIn({ responses, input, output, cacheRead, cacheWrite }: Amounts): TokenUsage | null {
  return usageFigure({ input, output, cacheRead, cacheWrite }, responses);
}

/** What `baton cost --by … --json` prints: its keys are a promise to users. */
export function spentByView(by: CostsBy, { rows, total }: SpentBy) {
  return { by, rows: rows.map(({ on, amounts }) => ({ [by]: on, ...view(amounts) })), total: view(total) };
}

function view(amounts: Amounts) {
  const { responses, unknown } = amounts;
  const { costUsd, isEstimate, simulatedUsd = 0 } = costFigure(costIn(amounts));
  return {
    responses,
    usage: tokensIn(amounts),
    costUsd,
    costEstimated: isEstimate,
    ...(simulatedUsd > 0 && { simulatedCostUsd: simulatedUsd }),
    ofUnknownCost: unknown,
  };
}
