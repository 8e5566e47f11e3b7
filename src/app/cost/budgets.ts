import type { BudgetConfig } from "../../config/config.ts";
import type { Standing, UnreadableBudget } from "../../job/budgets.ts";
import { standingsIn } from "../../jobs/budgets.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";

export type KnownBudget = Standing | UnreadableBudget;

/** What is left of a project's budgets. */
export async function budgetsIn(project: Project): Promise<KnownBudget[]> {
  const budgets = await configOf(project).then(
    ({ budgets }) => budgets,
    () => [],
  );
  if (budgets.length === 0 || !hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  return await knownBudgets(store, budgets, new Date());
}

/** What cannot be read is no reason to show nothing else. */
export function knownBudgets(
  store: Store,
  budgets: readonly BudgetConfig[],
  now: Date,
): Promise<KnownBudget[]> {
  return Promise.all(
    budgets.map(async (budget) => {
      try {
        const [standing] = await standingsIn(store, [budget], now);
        return standing ?? { budget, problem: "nothing is known of it" };
      } catch (error) {
        return { budget, problem: messageOf(error) };
      }
    }),
  );
}

/** Those of the user's own file are the same in each of its projects: once is enough. */
export function eachOnce<T extends { budget: BudgetConfig }>(budgets: readonly T[]): T[] {
  const ofAll = budgets.filter(({ budget }) => budget.projects);
  const first = new Map(ofAll.toReversed().map((each) => [JSON.stringify(each.budget), each]));
  return budgets.filter((each) => !each.budget.projects || first.get(JSON.stringify(each.budget)) === each);
}

/** In `baton cost --json`: its keys are a promise to users. */
export function budgetView(known: KnownBudget) {
  const { agent, projects, per, costUsd, action, simulated } = known.budget;
  const which = {
    scope: agent === undefined ? "fleet" : "agent",
    ...(agent !== undefined && { agent }),
    ...(projects && { projects }),
    per,
    costUsd,
    action,
    simulated,
  };
  if ("problem" in known) return { ...which, problem: known.problem };
  const { spentUsd, isEstimate, from, to, isUsedUp } = known;
  return {
    ...which,
    spentUsd,
    spentEstimated: isEstimate,
    usedUp: isUsedUp,
    from: from.toISOString(),
    to: to.toISOString(),
  };
}
