import type { AgentConfig } from "../config/config.ts";
import type { PauseCode } from "../job/events.ts";
import { limitReached, type Spent } from "../job/limits.ts";
import type { BudgetWatch } from "./budgets.ts";

/** Why no model may be asked for anything more: the user's limit of this job, or a budget of many. */
export async function capReached(
  limits: AgentConfig["limits"],
  spent: Spent,
  budgets: Pick<BudgetWatch, "look">,
): Promise<{ code: PauseCode; message: string } | undefined> {
  const reached = limitReached(limits, spent);
  if (reached !== undefined) return { code: "limit_reached", message: reached };
  const usedUp = await budgets.look();
  return usedUp === undefined ? undefined : { code: "budget", message: usedUp };
}
