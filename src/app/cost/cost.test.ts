import { expect, it } from "vitest";
import type { CostBasis } from "../../job/job.ts";
import { costOf, projectCostView } from "./cost.ts";

const jobs = (agent: string, costUsd: number, costBasis: CostBasis = "told", count = 1) => ({
  ...{ agent, costUsd, costBasis, jobs: count, turns: 3 * count, simulatedUsd: 0 },
  usage: { input: count, output: 2 * count, cacheRead: 3 * count, cacheWrite: 4 * count },
});
const costs = (sums: Parameters<typeof costOf>[0]) => projectCostView(costOf(sums, () => []));

it("adds up what jobs have cost, by agent, and calls an estimate one", () => {
  const { agents, total } = costs([
    jobs("coder", 1),
    jobs("reviewer", 4),
    jobs("coder", 2, "estimated"),
    jobs("coder", 9, "unknown"),
  ]);
  expect(agents.map(({ agent }) => agent)).toEqual(["reviewer", "coder"]);
  expect(agents[1]).toMatchObject({
    jobs: 3,
    turns: 9,
    usage: { input: 3, output: 6, cacheRead: 9, cacheWrite: 12 },
    costUsd: 3,
    costEstimated: true,
    jobsOfUnknownCost: 1,
    rampUp: { handoffs: 0, readAgainMost: [], farAboveMedian: [] },
  });
  expect(agents[0]).toMatchObject({ costUsd: 4, costEstimated: false, jobsOfUnknownCost: 0 });
  expect(total).toMatchObject({ jobs: 4, costUsd: 7, costEstimated: true, jobsOfUnknownCost: 1 });
});

it("keeps what was simulated out of every sum of costs", () => {
  const { agents, total } = costs([
    { ...jobs("coder", 5), simulatedUsd: 5 },
    { ...jobs("coder", 3), simulatedUsd: 1 },
    jobs("reviewer", 4),
  ]);
  expect(agents).toMatchObject([
    { agent: "reviewer", costUsd: 4 },
    { agent: "coder", costUsd: 2, simulatedCostUsd: 6 },
  ]);
  expect(agents[0]).not.toHaveProperty("simulatedCostUsd");
  expect(total).toMatchObject({ costUsd: 6, simulatedCostUsd: 6 });
});

it("does not know a cost of which no part is known", () => {
  const [agent] = costs([jobs("coder", 0, "unknown")]).agents;
  expect(agent).toMatchObject({ costUsd: null, costEstimated: false, jobsOfUnknownCost: 1 });
});
