/** What a new session spent before its first new work, and what it did again of what the session before it had done. */
export interface RampUp {
  /** `reached`: it has begun new work. `ended`: the session ended without any. */
  state: "measuring" | "reached" | "ended";
  /** Whole turns before the one that began the new work. */
  turns: number;
  /** What these turns added to the window. Null where the program did not tell. */
  tokens: number | null;
  /** Of work: without the time in which a person or a limit was waited for. */
  ms: number;
  /** By list prices. Null where one of the turns has none. */
  costUsd: number | null;
  /** Files, of those that the session before it had read. */
  readAgain: Named;
  /** Commands that had been run before and came to the same. */
  repeated: Named;
  /** Files in which an edit put back what had been there. */
  redone: Named;
}

/** How many, and what the first of them are called. */
export interface Named {
  count: number;
  names: string[];
}

/** So many of each are named: whoever wants all of them finds them in the journal. */
const MOST_NAMED = 10;

const NONE: Named = { count: 0, names: [] };

export const RAMP_UP_BEGINS: RampUp = {
  state: "measuring",
  turns: 0,
  tokens: 0,
  ms: 0,
  costUsd: 0,
  readAgain: NONE,
  repeated: NONE,
  redone: NONE,
};

export function withOneMore({ count, names }: Named, name: string): Named {
  const isNew = names.length < MOST_NAMED && !names.includes(name);
  return { count: count + 1, names: isNew ? [...names, name] : names };
}

/** What is usual for an agent: medians of all its handoffs that came to new work. */
export interface UsualRampUp {
  handoffs: number;
  turns: number;
  tokens: number | null;
  ms: number;
}

/** Of fewer handoffs a median says nothing. */
const FEWEST = 5;

/** Undefined where too few were measured. */
export function usualRampUp(rampUps: readonly RampUp[]): UsualRampUp | undefined {
  const reached = rampUps.filter(({ state }) => state === "reached");
  if (reached.length < FEWEST) return undefined;
  const tokens = reached.flatMap(({ tokens }) => tokens ?? []);
  return {
    handoffs: reached.length,
    turns: median(reached.map(({ turns }) => turns)),
    tokens: tokens.length < FEWEST ? null : median(tokens),
    ms: median(reached.map(({ ms }) => ms)),
  };
}

/** What a handoff takes, from the request for its account to its document. Undefined where there was none. */
export function usualHandoffMs(handoffs: readonly { durationMs: number }[]): number | undefined {
  return handoffs.length === 0 ? undefined : median(handoffs.map(({ durationMs }) => durationMs));
}

/** More than this many times the median is far above it, */
const TIMES = 2;
/** and by more than what two sessions with the same document may differ. */
const BY_TURNS = 3;
const BY_TOKENS = 5_000;

/** In turns or in tokens. A session that came to no new work has spent at least what it did spend. */
export function isFarAbove({ turns, tokens }: RampUp, usual: UsualRampUp | undefined): boolean {
  if (!usual) return false;
  const isAbove = (figure: number, median: number, by: number) =>
    figure > TIMES * median && figure - median >= by;
  if (isAbove(turns, usual.turns, BY_TURNS)) return true;
  return tokens !== null && usual.tokens !== null && isAbove(tokens, usual.tokens, BY_TOKENS);
}

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
