import { expect, it } from "vitest";
import { type CostBasis, emptyJob, type Job } from "../../job/job.ts";
import { costOfJobs, projectCostView } from "./cost.ts";

let made = 0;
const job = (agent: string, costUsd: number, costBasis: CostBasis = "told"): Job => ({
  ...emptyJob(`job-${++made}`),
  agent,
  costUsd,
  costBasis,
  turns: 3,
  usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
});

it("adds up what jobs have cost, by agent, and calls an estimate one", () => {
  const { agents, total } = projectCostView(
    costOfJobs([
      job("coder", 1),
      job("reviewer", 4),
      job("coder", 2, "estimated"),
      job("coder", 9, "unknown"),
    ]),
  );
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
  const { agents, total } = projectCostView(
    costOfJobs([
      { ...job("coder", 5), simulatedUsd: 5 },
      { ...job("coder", 3), simulatedUsd: 1 },
      job("reviewer", 4),
    ]),
  );
  expect(agents).toMatchObject([
    { agent: "reviewer", costUsd: 4 },
    { agent: "coder", costUsd: 2, simulatedCostUsd: 6 },
  ]);
  expect(agents[0]).not.toHaveProperty("simulatedCostUsd");
  expect(total).toMatchObject({ costUsd: 6, simulatedCostUsd: 6 });
});

it("does not know a cost of which no part is known", () => {
  const [agent] = projectCostView(costOfJobs([job("coder", 0, "unknown")])).agents;
  expect(agent).toMatchObject({ costUsd: null, costEstimated: false, jobsOfUnknownCost: 1 });
});
