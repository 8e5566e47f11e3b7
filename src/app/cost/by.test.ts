import { expect, it } from "vitest";
import { type Amounts, NOTHING } from "../../job/spend.ts";
import { byDays, spentByView } from "./by.ts";

const spend = (quarter: Date, costUsd: number, more: Partial<Amounts> = {}) => ({
  ...NOTHING,
  quarter: quarter.toISOString(),
  costUsd,
  responses: 1,
  ...more,
});
const monday = new Date(2026, 10, 16, 23, 45);
const tuesday = new Date(2026, 10, 17, 0, 0);

it("adds up days by the clock of this machine, the newest first", () => {
  const days = byDays([spend(monday, 1), spend(monday, 2), spend(tuesday, 4)]);
  expect(days.rows.map(({ on, amounts }) => [on, amounts.costUsd])).toEqual([
    ["2026-11-17", 4],
    ["2026-11-16", 3],
  ]);
  expect(days.total).toMatchObject({ costUsd: 7, responses: 3 });
});

it("keeps what was simulated out of the figure, and calls an estimate one", () => {
  const days = byDays([
    spend(monday, 3, { simulatedUsd: 3 }),
    spend(monday, 2, { estimatedUsd: 2, unknown: 1 }),
  ]);
  expect(spentByView("day", days)).toMatchObject({
    by: "day",
    rows: [{ day: "2026-11-16", costUsd: 2, costEstimated: true, simulatedCostUsd: 3, ofUnknownCost: 1 }],
  });
});
