import { expect, it } from "vitest";
import { NOTHING, type Spend } from "../../job/spend.ts";
import { groupedBy, spentByView } from "./by.ts";

const spend = (quarter: Date, model: string, costUsd: number, more: Partial<Spend> = {}): Spend => ({
  ...NOTHING,
  quarter: quarter.toISOString(),
  agent: "coder",
  model,
  costUsd,
  responses: 1,
  ...more,
});
const monday = new Date(2026, 10, 16, 23, 45);
const tuesday = new Date(2026, 10, 17, 0, 0);

it("adds up days by the clock of this machine, the newest first, and models, the most expensive first", () => {
  const spends = [spend(monday, "haiku", 1), spend(monday, "opus", 2), spend(tuesday, "haiku", 4)];
  const days = groupedBy("day", spends);
  expect(days.rows.map(({ on, amounts }) => [on, amounts.costUsd])).toEqual([
    ["2026-11-17", 4],
    ["2026-11-16", 3],
  ]);
  expect(days.total).toMatchObject({ costUsd: 7, responses: 3 });
  expect(groupedBy("model", spends).rows.map(({ on }) => on)).toEqual(["haiku", "opus"]);
});

it("keeps what was simulated out of the figure, and calls an estimate one", () => {
  const spends = [
    spend(monday, "opus", 3, { simulatedUsd: 3 }),
    spend(tuesday, "opus", 2, { estimatedUsd: 2, unknown: 1 }),
  ];
  expect(spentByView("agent", groupedBy("agent", spends))).toMatchObject({
    by: "agent",
    rows: [{ agent: "coder", costUsd: 2, costEstimated: true, simulatedCostUsd: 3, ofUnknownCost: 1 }],
  });
});
