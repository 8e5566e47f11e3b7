import type { Standing, UnreadableBudget } from "../../job/budgets.ts";
import { standingsIn } from "../../jobs/budgets.ts";
import { messageOf } from "../../util/errors.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";

/** What is left of a project's budgets. What cannot be read is no reason to show nothing else. */
export async function budgetsIn(project: Project): Promise<(Standing | UnreadableBudget)[]> {
  const budgets = await configOf(project).then(
    ({ budgets }) => budgets,
    () => [],
  );
  if (budgets.length === 0 || !hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  return await Promise.all(
    budgets.map(async (budget) => {
      try {
        const [standing] = await standingsIn(store, [budget], new Date());
        return standing ?? { budget, problem: "nothing is known of it" };
      } catch (error) {
        return { budget, problem: messageOf(error) };
      }
    }),
  );
}

/** In `baton cost --json`: its keys are a promise to users. */
export function budgetView(known: Standing | UnreadableBudget) {
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
