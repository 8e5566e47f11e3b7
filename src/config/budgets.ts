import { nearest } from "../util/nearest.ts";
import type { AgentConfig, BudgetConfig } from "./config.ts";
import type { Problem } from "./error.ts";
import type { BudgetsLayer } from "./keys/budgets.ts";
import { entryOf } from "./reader/reader.ts";
import { knowsCost } from "./runtimes/refuse.ts";
import { abilitiesOf } from "./runtimes/runtimes.ts";
import { placeOf } from "./yaml/source.ts";
import type { Located } from "./yaml/tree.ts";

export function resolveBudgets(layer: BudgetsLayer): BudgetConfig[] {
  return layer.flatMap(
    ({ scope, agent, per, cost_usd: costUsd, then: action = "pause", simulated = false }) => {
      if (per === undefined || costUsd === undefined) return [];
      const whose = scope === "agent" && agent !== undefined ? { agent } : {};
      return [{ ...whose, per, costUsd, action, simulated }];
    },
  );
}

/** Those that an agent's work counts for. */
export function budgetsOf(name: string, budgets: readonly BudgetConfig[]): BudgetConfig[] {
  return budgets.filter(({ agent = name }) => agent === name);
}

/** Agents that there are not, and those of which nobody knows what they cost. */
export function wrongBudgets(
  agents: readonly AgentConfig[],
  budgets: readonly BudgetConfig[],
  written: Located | undefined,
): Problem[] {
  const items = written?.kind === "list" ? written.items : [];
  return budgets.flatMap((budget, index): Problem[] => {
    const item = items[index];
    if (!item) return [];
    const names = agents.map(({ name }) => name);
    if (budget.agent !== undefined && !names.includes(budget.agent)) {
      const near = nearest(budget.agent, names);
      return [
        {
          ...placeOf(entryOf(item, "agent")?.value.span ?? item.span),
          message: `budgets[${index}].agent names "${budget.agent}", and there is no such agent`,
          fix: near === undefined ? `use one of these: ${names.join(", ")}` : `did you mean "${near}"?`,
        },
      ];
    }
    const unknown = agents.find((agent) => budgetsOf(agent.name, [budget]).length > 0 && !tellsCost(agent));
    if (!unknown) return [];
    return [
      {
        ...placeOf(entryOf(item, "cost_usd")?.keySpan ?? item.span),
        message: `budgets[${index}] could not hold: nobody knows what ${unknown.name} costs`,
        fix: `say what its models cost in prices, or leave ${unknown.name} out: scope: agent`,
      },
    ];
  });
}

function tellsCost({ runtime, command, prices, model }: AgentConfig): boolean {
  return knowsCost(abilitiesOf(runtime, command), { prices, ...(model !== undefined && { model }) });
}
