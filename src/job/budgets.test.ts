import fc from "fast-check";
import { expect, it } from "vitest";
import type { BudgetConfig } from "../config/config.ts";
import { periodOf, standing, usedUpInBrief, usedUpInWords, withMore } from "./budgets.ts";

const budget: BudgetConfig = { per: "day", costUsd: 10, action: "pause", simulated: false };
const NOW = new Date(2026, 10, 18, 14, 30);

it("is for the day, the week from Monday or the month that runs, by the clock of this machine", () => {
  const shown = (per: BudgetConfig["per"]) => Object.values(periodOf(per, NOW)).map(String);
  expect(shown("day")).toEqual([new Date(2026, 10, 18), new Date(2026, 10, 19)].map(String));
  expect(shown("week")).toEqual([new Date(2026, 10, 16), new Date(2026, 10, 23)].map(String));
  expect(shown("month")).toEqual([new Date(2026, 10, 1), new Date(2026, 11, 1)].map(String));
});

it("has every moment in one period, and the next one begins where it ends", () => {
  const moments = fc.date({ min: new Date(2020, 0, 1), max: new Date(2040, 0, 1), noInvalidDate: true });
  fc.assert(
    fc.property(moments, fc.constantFrom("day", "week", "month"), (at, per) => {
      const { from, to } = periodOf(per, at);
      expect(from <= at && at < to).toBe(true);
      expect(periodOf(per, to).from).toEqual(to);
      expect(periodOf(per, new Date(to.getTime() - 1)).from).toEqual(from);
    }),
  );
});

it("counts what was paid, and what was simulated only where it says so", () => {
  const spent = { costUsd: 12, simulatedUsd: 5, estimatedUsd: 0 };
  expect(standing(budget, spent, NOW)).toMatchObject({ spentUsd: 7, isUsedUp: false, isEstimate: false });
  expect(standing({ ...budget, simulated: true }, spent, NOW)).toMatchObject({
    spentUsd: 12,
    isUsedUp: true,
  });
});

it("is used up with the response that reaches it, and says until when", () => {
  const before = standing(budget, { costUsd: 9.5, simulatedUsd: 0, estimatedUsd: 9.5 }, NOW);
  expect(withMore(before, 0.4).isUsedUp).toBe(false);
  const used = withMore(before, 0.5);
  expect(used.isUsedUp).toBe(true);
  expect(usedUpInWords(used)).toBe(
    "The budget of the fleet, $10.00 a day, is used up: an estimated $10.00 since 2026-11-18 00:00. The next one begins at 2026-11-19 00:00.",
  );
  expect(usedUpInBrief({ ...used, budget: { ...budget, agent: "coder" } })).toBe(
    "the budget of coder is used up: an estimated $10.00 of $10.00 today, until 2026-11-19 00:00",
  );
});
