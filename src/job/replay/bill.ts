import type { Models } from "../../agents/agent.ts";
import { costAt } from "../../agents/price.ts";
import { USUAL_COSTS } from "../../context/economy.ts";
import { replay } from "./simulate.ts";
import { promptOf, type Trace } from "./trace.ts";

/** An estimate by list prices, in US dollars. */
export interface HandoffBill {
  /** Accounts, and the first request of each session that continued. */
  costUsd: number;
  /** Against one window without an end, in which every turn sends all again. Negative where the handoffs cost more. */
  savedUsd: number;
}

/** What the handoffs of a job cost and saved. Undefined where there were none, or a price is not known. */
export function handoffBill(trace: Trace, models: Pick<Models, "priceOf">): HandoffBill | undefined {
  const continued = trace.turns.filter(({ after }) => after === "handoff");
  if (continued.length === 0) return undefined;
  const paid = [
    ...trace.accounts.map(({ model, usage }) => ({ model, usage })),
    ...continued.map(({ model, usage }) => ({ model, usage: { ...usage, output: 0 } })),
  ];
  let costUsd = 0;
  for (const { model, usage } of paid) {
    const price = models.priceOf(model, promptOf(usage));
    if (!price) return undefined;
    costUsd += costAt(price, usage);
  }
  const terms = { models, costs: USUAL_COSTS, handoffMs: 0 };
  const never = replay(trace, { kind: "never" }, terms).costUsd;
  const asHappened = replay(trace, { kind: "as-happened" }, terms).costUsd;
  if (never === undefined || asHappened === undefined) return undefined;
  return { costUsd, savedUsd: never - asHappened };
}
