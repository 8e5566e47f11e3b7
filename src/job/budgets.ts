import type { BudgetConfig } from "../config/config.ts";
import { money } from "../util/figures.ts";
import { localMinute } from "../util/time.ts";
import type { Job } from "./job.ts";
import type { Amounts } from "./spend.ts";

/** What is left of a budget, in the time that runs now. */
export interface Standing {
  budget: BudgetConfig;
  spentUsd: number;
  /** Not all of `spentUsd` is a program's own figure. */
  isEstimate: boolean;
  /** The time that it is for, the second moment without. */
  from: Date;
  to: Date;
  isUsedUp: boolean;
}

/** A budget of which nobody can say what was spent. */
export interface UnreadableBudget {
  budget: BudgetConfig;
  problem: string;
}

/** Sums of fractions are off by less. */
const A_MICRODOLLAR = 1e-6;

/** The day, week or month of a moment, by the clock of this machine. Weeks begin on Monday. */
export function periodOf(per: BudgetConfig["per"], at: Date): { from: Date; to: Date } {
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  switch (per) {
    case "day":
      return { from: new Date(year, month, day), to: new Date(year, month, day + 1) };
    case "week": {
      const monday = day - ((at.getDay() + 6) % 7);
      return { from: new Date(year, month, monday), to: new Date(year, month, monday + 7) };
    }
    case "month":
      return { from: new Date(year, month, 1), to: new Date(year, month + 1, 1) };
  }
}

/** `spent`: in the time that it is for, by whom it is of. */
export function standing(
  budget: BudgetConfig,
  spent: Pick<Amounts, "costUsd" | "simulatedUsd" | "estimatedUsd">,
  now: Date,
): Standing {
  const isEstimate = Math.abs(spent.estimatedUsd) > A_MICRODOLLAR;
  return standingAt(budget, countedUsd(budget, spent), { ...periodOf(budget.per, now), isEstimate });
}

/** The same with what was spent since. */
export function withMore({ budget, ...before }: Standing, moreUsd: number): Standing {
  return standingAt(budget, before.spentUsd + moreUsd, before);
}

function standingAt(
  budget: BudgetConfig,
  spentUsd: number,
  { from, to, isEstimate }: Pick<Standing, "from" | "to" | "isEstimate">,
): Standing {
  return { budget, spentUsd, isEstimate, from, to, isUsedUp: spentUsd >= budget.costUsd - A_MICRODOLLAR };
}

/** What of an amount counts for a budget. */
function countedUsd(
  { simulated }: BudgetConfig,
  { costUsd, simulatedUsd }: Pick<Amounts, "costUsd" | "simulatedUsd">,
): number {
  return simulated ? costUsd : costUsd - simulatedUsd;
}

/** What a job has spent of a budget, since it began. */
export function spentByJob(budget: BudgetConfig, { agent: own, sessions }: Job): number {
  return sessions
    .filter(({ agent = own }) => (budget.agent ?? agent) === agent)
    .reduce((sum, { costUsd, simulatedUsd = 0 }) => sum + countedUsd(budget, { costUsd, simulatedUsd }), 0);
}

/** For people: `The budget of coder, $50.00 a day, is used up: $50.31 since 2026-11-18 00:00. The next begins at …` */
export function usedUpInWords(standing: Standing): string {
  const { budget, from, to } = standing;
  return `The budget of ${whoseBudget(budget)}, ${money(budget.costUsd)} a ${budget.per}, is used up: ${spentInWords(standing)} since ${localMinute(from)}. The next one begins at ${localMinute(to)}.`;
}

/** In a list of them. */
export function budgetInWords(standing: Standing | UnreadableBudget): string {
  if ("problem" in standing) {
    const { budget, problem } = standing;
    const closed = budget.action === "warn" ? "" : ": nothing starts";
    return `Budget of ${whoseBudget(budget)}, ${money(budget.costUsd)} a ${budget.per}, cannot be read${closed}. ${problem}`;
  }
  const { budget, to, isUsedUp } = standing;
  const state = isUsedUp
    ? `used up until ${localMinute(to)} (${AFTER[budget.action]})`
    : `until ${localMinute(to)}`;
  return `Budget of ${whoseBudget(budget)}: ${spentInWords(standing)} of ${money(budget.costUsd)} ${inPeriod(budget)}, ${state}`;
}

const AFTER: Record<BudgetConfig["action"], string> = {
  warn: "only a warning",
  hold: "nothing new starts",
  pause: "nothing starts or continues",
};

/** Why a job waits. */
export function usedUpInBrief(standing: Standing): string {
  const { budget, to } = standing;
  return `the budget of ${whoseBudget(budget)} is used up: ${spentInWords(standing)} of ${money(budget.costUsd)} ${inPeriod(budget)}, until ${localMinute(to)}`;
}

const inPeriod = ({ per }: BudgetConfig) => (per === "day" ? "today" : `this ${per}`);

function spentInWords({ spentUsd, isEstimate }: Standing): string {
  return `${isEstimate ? "an estimated " : ""}${money(Math.max(0, spentUsd))}`;
}

function whoseBudget({ agent, projects }: BudgetConfig): string {
  return agent ?? (projects ? "all projects" : "the fleet");
}
