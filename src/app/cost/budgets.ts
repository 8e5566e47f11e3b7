import type { Standing } from "../../job/budgets.ts";
import { standingsIn } from "../../jobs/budgets.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";

/** What is left of a project's budgets. What cannot be read is no reason to show nothing else. */
export async function budgetsIn(project: Project): Promise<Standing[]> {
  const budgets = await configOf(project).then(
    ({ budgets }) => budgets,
    () => [],
  );
  if (budgets.length === 0 || !hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  return await standingsIn(store, budgets, new Date());
}

/** In `baton cost --json`: its keys are a promise to users. */
export function budgetView({ budget, spentUsd, isEstimate, from, to, isUsedUp }: Standing) {
  const { agent, projects, per, costUsd, action, simulated } = budget;
  return {
    scope: agent === undefined ? "fleet" : "agent",
    ...(agent !== undefined && { agent }),
    ...(projects && { projects }),
    per,
    costUsd,
    action,
    simulated,
    spentUsd,
    spentEstimated: isEstimate,
    usedUp: isUsedUp,
    from: from.toISOString(),
    to: to.toISOString(),
  };
}
