import { costFigure } from "../../job/cost.ts";
import type { CostBasis, Job } from "../../job/job.ts";
import { type Amounts, NOTHING, type Spend, sum } from "../../job/spend.ts";
import { allJobs } from "../../store/jobs.ts";
import { spendIn } from "../../store/spend.ts";
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
  total: Amounts;
}

/**
 * What a project has spent. Days are those of this machine. A job counts with all that it cost, if it began since then; by
 * day, agent and model it is what models answered since then, in whatever job.
 */
export async function spentBy(project: Project, by: CostsBy, since?: Date): Promise<SpentBy> {
  if (!hasStore(project)) return { rows: [], total: NOTHING };
  await using store = await lookIntoStore(project);
  if (by !== "job") return groupedBy(by, await spendIn(store, since ? { from: since } : {}));
  const rows: SpentOn[] = [];
  for await (const job of allJobs(store, since ? { createdSince: since } : {}))
    rows.push({ on: job.id, amounts: amountsOf(job) });
  return { rows: rows.toSorted(byCost), total: rows.map(({ amounts }) => amounts).reduce(sum, NOTHING) };
}

export function groupedBy(by: Exclude<CostsBy, "job">, spends: readonly Spend[]): SpentBy {
  const groups = Map.groupBy(spends, (spend) => (by === "day" ? dayOf(new Date(spend.quarter)) : spend[by]));
  const rows = [...groups].map(([on, its]) => ({ on, amounts: its.reduce<Amounts>(sum, NOTHING) }));
  return {
    rows: rows.toSorted(by === "day" ? (a, b) => (a.on < b.on ? 1 : -1) : byCost),
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

function amountsOf({ costUsd, costBasis, simulatedUsd = 0, turns, usage }: Job): Amounts {
  return {
    costUsd,
    simulatedUsd,
    estimatedUsd: costBasis === "told" ? 0 : costUsd,
    unknown: costBasis === "unknown" ? 1 : 0,
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

/** What `baton cost --by … --json` prints: its keys are a promise to users. */
export function spentByView(by: CostsBy, { rows, total }: SpentBy) {
  return { by, rows: rows.map(({ on, amounts }) => ({ [by]: on, ...view(amounts) })), total: view(total) };
}

function view(amounts: Amounts) {
  const { responses, unknown, input, output, cacheRead, cacheWrite } = amounts;
  const { costUsd, isEstimate, simulatedUsd = 0 } = costFigure(costIn(amounts));
  return {
    responses,
    usage: { input, output, cacheRead, cacheWrite },
    costUsd,
    costEstimated: isEstimate,
    ...(simulatedUsd > 0 && { simulatedCostUsd: simulatedUsd }),
    ofUnknownCost: unknown,
  };
}
