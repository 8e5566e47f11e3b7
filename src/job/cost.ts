import type { TokenUsage } from "../agents/agent.ts";
import { money } from "../util/figures.ts";
import type { CostBasis, Job, SessionRecord } from "./job.ts";

type Cost = Pick<SessionRecord, "costUsd" | "costBasis">;

/** After responses that the program has not told the cost of yet. `costUsd`: by list prices, where they have any. */
export function estimated(session: Cost, costUsd: number | undefined): Cost {
  return {
    costUsd: session.costUsd + (costUsd ?? 0),
    costBasis: weaker(session.costBasis, costUsd === undefined ? "unknown" : "estimated"),
  };
}

/** The program's own figure takes the place of all that was estimated since it was started. */
export function told({ earlierCostUsd, earlierCostBasis }: SessionRecord, costUsd: number): Cost {
  return { costUsd: earlierCostUsd + costUsd, costBasis: earlierCostBasis };
}

export function costOfAll(sessions: readonly Cost[]): Cost {
  return sessions.reduce<Cost>(
    (all, { costUsd, costBasis }) => ({
      costUsd: all.costUsd + costUsd,
      costBasis: weaker(all.costBasis, costBasis),
    }),
    { costUsd: 0, costBasis: "told" },
  );
}

/** By class. */
export function sumOfUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...((a.cacheWriteHour || b.cacheWriteHour) && {
      cacheWriteHour: (a.cacheWriteHour ?? 0) + (b.cacheWriteHour ?? 0),
    }),
  };
}

/** A job as an earlier Baton kept it, which only knew what the program told. */
export function withCostBasis(job: Job): Job {
  if (job.costBasis !== undefined) return job;
  const sessions = job.sessions.map((session) => {
    const costBasis: CostBasis = session.costUsd === 0 && session.turns > 0 ? "unknown" : "told";
    return { ...session, costBasis, earlierCostBasis: costBasis };
  });
  return { ...job, sessions, costBasis: costOfAll(sessions).costBasis };
}

/** For people: an estimate is called one, and what is not known is no figure. */
export function costInWords({ costUsd, costBasis }: Cost): string {
  switch (costBasis) {
    case "told":
      return money(costUsd);
    case "estimated":
      return `est. ${money(costUsd)}`;
    case "unknown":
      return "unknown";
  }
}

/** Where nothing else says that it is a cost. */
export function costInPassing(cost: Cost): string {
  return cost.costBasis === "unknown" ? "cost unknown" : costInWords(cost);
}

/** For programs. */
export function costFigure({ costUsd, costBasis }: Cost): { costUsd: number | null; isEstimate: boolean } {
  return { costUsd: costBasis === "unknown" ? null : costUsd, isEstimate: costBasis === "estimated" };
}

/** A sum is no better than the worst of its parts. */
function weaker(one: CostBasis, other: CostBasis): CostBasis {
  const order: CostBasis[] = ["told", "estimated", "unknown"];
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}
