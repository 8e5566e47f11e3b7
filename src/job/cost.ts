import type { TokenUsage } from "../agents/events.ts";
import { money } from "../util/figures.ts";
import type { CostBasis, Job, SessionRecord } from "./job.ts";

type Cost = Pick<SessionRecord, "costUsd" | "costBasis" | "simulatedUsd">;

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

/** What this run of the program came to is simulated, or nothing of it. */
export function withSimulated(session: SessionRecord): SessionRecord {
  const { simulated, costUsd, earlierCostUsd, earlierSimulatedUsd = 0 } = session;
  if (simulated === undefined) return session;
  return { ...session, simulatedUsd: earlierSimulatedUsd + (simulated ? costUsd - earlierCostUsd : 0) };
}

export function costOfAll(sessions: readonly Cost[]): Cost {
  return sessions.reduce<Cost>(
    (all, { costUsd, costBasis, simulatedUsd = 0 }) => {
      const simulated = (all.simulatedUsd ?? 0) + simulatedUsd;
      return {
        costUsd: all.costUsd + costUsd,
        costBasis: weaker(all.costBasis, costBasis),
        ...(simulated > 0 && { simulatedUsd: simulated }),
      };
    },
    { costUsd: 0, costBasis: "told" },
  );
}

/** What somebody pays for. */
export function paidUsd({ costUsd, simulatedUsd = 0 }: Cost): number {
  return Math.max(0, costUsd - simulatedUsd);
}

/** On the simulator alone. */
export function isAllSimulated(cost: Cost): boolean {
  return (cost.simulatedUsd ?? 0) > 0 && paidUsd(cost) < A_MICRODOLLAR;
}

/** Sums of fractions are off by less. */
const A_MICRODOLLAR = 1e-6;

/** By class. */
/** Null where there were answers, and no program said what they took. */
export function usageFigure<T extends TokenUsage>(usage: T, answers: number): T | null {
  const { input, output, cacheRead, cacheWrite } = usage;
  return answers > 0 && input + output + cacheRead + cacheWrite === 0 ? null : usage;
}

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

/** For people, in a table: an estimate is called one, so is what was simulated, and what is not known is no figure. */
export function costInWords(cost: Cost): string {
  const { simulatedUsd = 0 } = cost;
  if (cost.costBasis === "unknown") return "unknown";
  if (isAllSimulated(cost)) return `sim. ${money(simulatedUsd)}`;
  return simulatedUsd > 0 ? `${paidInWords(cost)} + sim. ${money(simulatedUsd)}` : paidInWords(cost);
}

/** The same where nothing else says that it is a cost. */
export function costInBrief(cost: Cost): string {
  return cost.costBasis === "unknown" ? "cost unknown" : costInWords(cost);
}

/** In a sentence. */
export function costInPassing(cost: Cost): string {
  const { simulatedUsd = 0 } = cost;
  if (cost.costBasis === "unknown") return "cost unknown";
  if (isAllSimulated(cost)) return `${money(simulatedUsd)} simulated`;
  return simulatedUsd > 0 ? `${paidInWords(cost)} + ${money(simulatedUsd)} simulated` : paidInWords(cost);
}

/** Without what was simulated. */
export function paidInWords(cost: Cost): string {
  return `${cost.costBasis === "estimated" ? "est. " : ""}${money(paidUsd(cost))}`;
}

/** For programs: what nobody pays is in no sum of costs. */
export function costFigure(cost: Cost): {
  costUsd: number | null;
  isEstimate: boolean;
  simulatedUsd: number | undefined;
} {
  const { costBasis, simulatedUsd } = cost;
  const costUsd = isAllSimulated(cost) ? 0 : costBasis === "unknown" ? null : paidUsd(cost);
  return { costUsd, isEstimate: costBasis === "estimated", simulatedUsd };
}

/** A sum is no better than the worst of its parts. */
function weaker(one: CostBasis, other: CostBasis): CostBasis {
  const order: CostBasis[] = ["told", "estimated", "unknown"];
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}
