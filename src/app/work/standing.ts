import type { ApiBudget } from "../../sources/source.ts";
import type { Store } from "../../store/store.ts";
import { type WorkSourceRow, workSourceRows } from "../../store/work/sources.ts";
import { fromJson } from "../../util/json.ts";
import type { ShownItem } from "./view.ts";

/** How a tracker stands, as every face shows it: its keys are a promise to users. */
export interface WorkStanding {
  source: string;
  /** Items that are next, and that jobs here have. */
  ready: number;
  taken: number;
  polledAt?: string;
  budget?: ApiBudget;
  problem?: { why: string; since: string };
}

/** Of all trackers, as the fleet knows them. A store that can only be read may be too old to know any. */
export async function workStanding(store: Store): Promise<WorkStanding[]> {
  return (await workSourceRows(store).catch((): WorkSourceRow[] => [])).map(standingOf);
}

/** How many items a schedule of an agent would take, as a fleet last saw them. */
export async function readyItems(store: Store): Promise<(agent: string, schedule: string) => number> {
  const rows = await workSourceRows(store).catch((): WorkSourceRow[] => []);
  const items = rows.flatMap(({ shown }) => fromJson(shown) as ShownItem[]);
  return (agent, schedule) =>
    items.filter((item) => item.state === "take" && item.agent === agent && item.schedule === schedule)
      .length;
}

function standingOf({ name, polledAt, budget, problem, problemSince, shown }: WorkSourceRow): WorkStanding {
  const items = fromJson(shown) as ShownItem[];
  const idsOf = (state: ShownItem["state"]) =>
    new Set(items.filter((item) => item.state === state).map(({ id }) => id)).size;
  return {
    source: name,
    ready: idsOf("take"),
    taken: idsOf("claimed"),
    ...(polledAt !== null && { polledAt }),
    ...(budget !== null && { budget: fromJson(budget) as ApiBudget }),
    ...(problem !== null && problemSince !== null && { problem: { why: problem, since: problemSince } }),
  };
}
