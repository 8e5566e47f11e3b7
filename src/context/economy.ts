import type { Price } from "../agents/price.ts";
import type { Pace } from "./pace.ts";

/** What a handoff takes besides the new session's start. */
export interface HandoffCosts {
  /** Tokens that a new session reads and looks up again before it gets on. */
  rampUpTokens: number;
  /** Output tokens of the account. */
  accountTokens: number;
  /** Tokens that the document adds to a session's first request, until a job has shown its own. */
  documentTokens: number;
}

export const USUAL_COSTS: HandoffCosts = {
  rampUpTokens: 12_000,
  accountTokens: 2_500,
  documentTokens: 5_000,
};

/** No session hands off to save money before it has done this much, whatever its window. */
const LEAST_TURNS = 15;
const LEAST_WORK_TOKENS = 30_000;

/**
 * What holds until a job has shown its own, and for how many of its turns that counts. Measured on real sessions. A lost cache is
 * rare, so that it takes a long job to show how rare.
 */
const USUAL_GROWTH = { tokens: 1_200, turns: 100 };
const USUAL_MISSES = { share: 0.02, turns: 1_000 };

/**
 * The tokens in use from which going on costs more a turn than a fresh cycle would on average: a turn pays for its whole window
 * again, a cycle for its handoff. Undefined until the session has answered.
 *
 * A cycle of n turns costs K + Σ r·(s + i·g): K for the handoff, r for a token that is sent again, s where a new session
 * starts to work, g what a turn adds. A turn costs on average least with n = √(2K / rg), and going on is dearer than that from
 * the token on that is returned here. K itself holds r times that token: the account is written with the window still full.
 */
export function economicalTokens(
  pace: Pace | undefined,
  price: Price,
  costs: HandoffCosts = USUAL_COSTS,
): number | undefined {
  if (!pace?.here) return undefined;
  const { growth, again, start, handoff } = cycleOf(pace, price, costs);
  if (again <= 0) return undefined;
  const read = price.cacheRead;
  const worked = start - growth / 2;
  const fixed = handoff + read * worked;
  const beyond = (growth * read + Math.sqrt((growth * read) ** 2 + 2 * again * growth * fixed)) / again;
  const { here } = pace;
  const floor = here.start + LEAST_WORK_TOKENS;
  // Until it has had its turns, what it holds is never enough.
  const notYet = here.turns < LEAST_TURNS ? here.prompt + here.output + 1 : 0;
  return Math.round(Math.max(worked + beyond, floor, notYet));
}

/** What a turn and a handoff come to at the pace of this job. Prices are those of a million tokens, as they come. */
function cycleOf(pace: Pace, price: Price, { rampUpTokens, accountTokens, documentTokens }: HandoffCosts) {
  const growth = (pace.growth + USUAL_GROWTH.tokens * USUAL_GROWTH.turns) / (pace.turns + USUAL_GROWTH.turns);
  const misses = (pace.misses + USUAL_MISSES.share * USUAL_MISSES.turns) / (pace.turns + USUAL_MISSES.turns);
  const output = pace.output / Math.max(1, pace.turns);
  const write = writePrice(pace, price);
  const again = price.cacheRead + misses * Math.max(0, write - price.cacheRead);
  const begun = pace.continued ?? {
    tokens: pace.base.tokens + documentTokens,
    cached: pace.base.cached,
  };
  const turns = rampUpTurns(rampUpTokens, growth);
  const beginning = begun.cached * price.cacheRead + (begun.tokens - begun.cached) * write;
  const rampUp =
    turns * (again * (begun.tokens + rampUpTokens / 2) + output * price.output) + rampUpTokens * write;
  return {
    growth,
    again,
    start: begun.tokens + rampUpTokens,
    handoff: beginning + rampUp + accountTokens * price.output,
  };
}

export function rampUpTurns(tokens: number, growth: number): number {
  return Math.max(1, Math.round(tokens / Math.max(growth, 1_000)));
}

/** Of a token that is new to the cache, as this job's program keeps it there. */
function writePrice({ written }: Pick<Pace, "written">, price: Price): number {
  const hour = written.tokens === 0 ? 0 : written.hour / written.tokens;
  return price.cacheWrite5m + hour * (price.cacheWrite1h - price.cacheWrite5m);
}
