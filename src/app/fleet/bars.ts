import type { Waiting, WaitReason } from "../../fleet/admission.ts";
import type { FleetState } from "../../store/sqlite/fleet-state.ts";
import { barOfAccounts } from "./bars/accounts.ts";
import { barOfBudgets } from "./bars/budgets.ts";
import { barOfFloors } from "./bars/floors.ts";
import { barOfHalt } from "./bars/halt.ts";
import { barOfPauses } from "./bars/pauses.ts";
import type { FleetProject } from "./projects.ts";

/** Why a job may not start now, whatever slots there are. */
export type Bar = (next: Waiting) => WaitReason | undefined;

export interface BarContext {
  /** Undefined where no fleet has ever run. */
  state: FleetState | undefined;
  projects: readonly FleetProject[];
  /** What the environment of agents is made from. Default: this process's own. */
  env?: Record<string, string>;
  now: Date;
}

/** What keeps jobs from starting: the first that holds is what they say. The fleet and every face go by it. */
export async function barsOf(context: BarContext): Promise<Bar> {
  const bars = [
    barOfHalt(),
    barOfPauses(context),
    barOfFloors(context),
    await barOfAccounts(context),
    await barOfBudgets(context),
  ];
  return (next) => {
    for (const bar of bars) {
      const reason = bar(next);
      if (reason) return reason;
    }
    return undefined;
  };
}
