import type { JobRow } from "../data/fleet.ts";

const STEPS = [1, 1.5, 2, 3, 5, 7.5, 10];

/** What the next limit would be, half as much again and a round figure. Undefined where the job did not stop at what it may cost. */
export function raisedLimit(row: JobRow | undefined): number | undefined {
  const { status, pauseCode, costUsd, simulatedCostUsd = 0, costLimitUsd } = row ?? {};
  if (status !== "paused" || pauseCode !== "limit_reached" || costLimitUsd === undefined) return undefined;
  if ((costUsd ?? 0) + simulatedCostUsd < costLimitUsd) return undefined;
  const power = 10 ** Math.floor(Math.log10(costLimitUsd));
  const wanted = (costLimitUsd * 1.5) / power;
  return Number(((STEPS.find((step) => step >= wanted - 1e-9) ?? wanted) * power).toPrecision(3));
}
