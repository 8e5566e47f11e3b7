import { expect, it } from "vitest";
import type { BudgetConfig } from "../../config/config.ts";
import { eachOnce } from "./budgets.ts";

const own: BudgetConfig = { per: "day", costUsd: 5, action: "hold", simulated: false };
const ofAll: BudgetConfig = { ...own, projects: ["/code/site", "/code/shop"] };

it("lists the budget of all projects once, however many of them are shown, and each project's own", () => {
  const shown = [own, ofAll, own, { ...ofAll }, { ...ofAll, costUsd: 6 }].map((budget) => ({ budget }));
  expect(eachOnce(shown).map(({ budget }) => [budget.projects?.length, budget.costUsd])).toEqual([
    [undefined, 5],
    [2, 5],
    [undefined, 5],
    [2, 6],
  ]);
});
