import type { Models } from "../../agents/agent.ts";
import type { TokenUsage } from "../../agents/events.ts";
import { costAt } from "../../agents/price.ts";
import type { Threshold } from "../../config/reader/threshold.ts";
import { economicalTokens, type HandoffCosts, rampUpTurns } from "../../context/economy.ts";
import { isMiss, type Pace, paceAfter, withNewSession } from "../../context/pace.ts";
import { triggerTokens } from "../../context/policy.ts";
import { promptOf, type Trace, type Turn } from "./trace.ts";

/** When a replayed session hands off. `as-happened`: where the real one got a new window. */
export type ReplayPolicy =
  | { kind: "threshold"; threshold: Threshold }
  | { kind: "as-happened" }
  | { kind: "never" };

export interface Replayed {
  handoffs: number;
  peakTokens: number;
  usage: TokenUsage;
  /** By list prices. Undefined where a model has none. */
  costUsd: number | undefined;
  /** Undefined where the trace tells no times. */
  durationMs: number | undefined;
}

/** A job or a session under other thresholds, beside what really happened. */
export interface Replay {
  name: string;
  turns: number;
  window: number | undefined;
  happened: Replayed;
  /** The simulation of what really happened: how far it is off shows how far to trust the rest. */
  asHappened: Replayed;
  at: ({ name: string } & Replayed)[];
  assumes: HandoffCosts & { handoffMs: number };
  /** What the new session looks up again was measured on the agent's own jobs. */
  isMeasured: boolean;
  /** It ran on the simulator, so nobody paid what happened. */
  onSimulator: boolean;
}

interface ReplayTerms {
  models: Pick<Models, "priceOf">;
  costs: HandoffCosts;
  /** What one handoff takes, from the request for its account to the next session's first words. */
  handoffMs: number;
}

/** Longer than this nobody worked: a person was away, or a limit held the session up. */
const LONGEST_TURN_MS = 10 * 60_000;

/** What really happened, by list prices. */
export function happened(trace: Trace, { models }: Pick<ReplayTerms, "models">): Replayed {
  const meter = new Meter(models);
  for (const { model, usage } of [...trace.turns, ...trace.accounts]) meter.add(model, usage);
  return {
    ...meter.figures,
    handoffs: trace.turns.filter(({ after }) => after !== undefined).length,
    peakTokens: Math.max(0, ...trace.turns.map(({ usage }) => promptOf(usage) + usage.output)),
    durationMs: durationOf(trace.turns),
  };
}

/** The same work under another rule: what each turn added is added again, in other windows. */
export function replay(trace: Trace, policy: ReplayPolicy, terms: ReplayTerms): Replayed {
  const [first, ...rest] = trace.turns;
  const session = new SimulatedSession(trace, terms);
  if (!first) return session.result(0);
  session.begin(first, promptOf(first.usage), first.usage.cacheRead);
  let before = first;
  rest.forEach((turn, index) => {
    const isLast = index === rest.length - 1;
    if (policy.kind === "as-happened" && turn.after !== undefined) {
      session.handOffAsHappened(turn);
    } else {
      session.turn(turn, grownBy(before, turn), isCold(before, turn));
    }
    before = turn;
    if (policy.kind === "threshold" && !isLast && session.isDue(policy.threshold)) session.handOff(turn);
  });
  return session.result(durationOf(trace.turns));
}

class SimulatedSession {
  readonly #trace: Trace;
  readonly #terms: ReplayTerms;
  readonly #meter: Meter;
  readonly #hourShare: number;
  readonly #fresh: { tokens: number; cached: number };
  #model = "";
  /** What was sent last. */
  #prompt = 0;
  #output = 0;
  #pace: Pace | undefined;
  #peak = 0;
  #handoffs = 0;
  #rampUpTurns = 0;

  constructor(trace: Trace, terms: ReplayTerms) {
    this.#trace = trace;
    this.#terms = terms;
    this.#meter = new Meter(terms.models);
    const written = sumOf(trace.turns, ({ usage }) => usage.cacheWrite);
    const hour = sumOf(trace.turns, ({ usage }) => usage.cacheWriteHour ?? 0);
    this.#hourShare = written === 0 ? 0 : hour / written;
    const [first] = trace.turns;
    this.#fresh = first
      ? { tokens: promptOf(first.usage), cached: first.usage.cacheRead }
      : { tokens: 0, cached: 0 };
  }

  begin(turn: Turn, prompt: number, cached: number): void {
    this.#answer(turn, prompt, cached, turn.usage.output);
  }

  turn(turn: Turn, added: number, isCold: boolean): void {
    this.#answer(turn, this.#prompt + added, isCold ? 0 : this.#prompt, turn.usage.output);
  }

  isDue(threshold: Threshold): boolean {
    const price = this.#terms.models.priceOf(this.#model, this.#prompt);
    const economicalAt = price && economicalTokens(this.#pace, price, this.#terms.costs);
    const { window } = this.#trace;
    const state = {
      window: window === undefined ? undefined : { tokens: window, source: "table" as const },
      growth: undefined,
      autoCompactThreshold: undefined,
    };
    const trigger = triggerTokens(state, { threshold, economicalAt });
    return trigger !== undefined && this.#prompt + this.#output >= trigger;
  }

  /** The account with the window still full, a new cache, then what the new session looks up again. */
  handOff(turn: Turn): void {
    const { rampUpTokens, documentTokens } = this.#terms.costs;
    const pace = this.#pace;
    const growth = pace && pace.turns > 0 ? pace.growth / pace.turns : 0;
    const output = pace && pace.turns > 0 ? pace.output / pace.turns : turn.usage.output;
    this.#account();
    const { tokens, cached } = this.#fresh;
    this.#answer(turn, tokens + documentTokens, cached, output);
    const turns = rampUpTurns(rampUpTokens, growth);
    for (let each = 0; each < turns; each++) {
      this.#answer(turn, this.#prompt + rampUpTokens / turns, this.#prompt, output);
    }
    this.#rampUpTurns += turns + 1;
  }

  /** What was looked up again is in the trace already. A compaction is not: no transcript tells what it took. */
  handOffAsHappened(turn: Turn): void {
    if (turn.after === "handoff") this.#account();
    else this.#renew();
    this.#answer(turn, promptOf(turn.usage), turn.usage.cacheRead, turn.usage.output);
  }

  result(workMs: number | undefined): Replayed {
    const { turns } = this.#trace;
    const extraMs =
      this.#handoffs * this.#terms.handoffMs +
      (this.#rampUpTurns * (workMs ?? 0)) / Math.max(1, turns.length);
    return {
      ...this.#meter.figures,
      handoffs: this.#handoffs,
      peakTokens: Math.round(this.#peak),
      durationMs: workMs === undefined ? undefined : Math.round(workMs + extraMs),
    };
  }

  #account(): void {
    this.#meter.add(
      this.#model,
      this.#usage(this.#prompt + this.#output, this.#prompt, this.#terms.costs.accountTokens),
    );
    this.#renew();
  }

  #renew(): void {
    this.#handoffs += 1;
    this.#pace = withNewSession(this.#pace);
  }

  #answer({ model }: Turn, prompt: number, cached: number, output: number): void {
    const usage = this.#usage(prompt, cached, output);
    this.#meter.add(model, usage);
    this.#pace = paceAfter(this.#pace, usage);
    this.#model = model;
    this.#prompt = prompt;
    this.#output = output;
    this.#peak = Math.max(this.#peak, prompt + output);
  }

  #usage(prompt: number, cached: number, output: number): TokenUsage {
    const cacheWrite = Math.max(0, prompt - cached);
    return {
      input: 0,
      output,
      cacheRead: prompt - cacheWrite,
      cacheWrite,
      cacheWriteHour: cacheWrite * this.#hourShare,
    };
  }
}

/** What a turn brought into the window. Behind a boundary only what the one before had answered is known to be new. */
function grownBy(before: Turn, turn: Turn): number {
  const grown = promptOf(turn.usage) - promptOf(before.usage);
  return turn.after !== undefined || grown < 0 ? before.usage.output : grown;
}

function isCold(before: Turn, turn: Turn): boolean {
  return turn.after === undefined && isMiss(promptOf(before.usage), turn.usage.cacheRead);
}

function durationOf(turns: readonly Turn[]): number | undefined {
  if (!turns.some(({ tookMs }) => tookMs !== undefined)) return undefined;
  return sumOf(turns, ({ tookMs = 0 }) => Math.min(tookMs, LONGEST_TURN_MS));
}

/** Adds up tokens, and what they cost. */
class Meter {
  readonly #models: Pick<Models, "priceOf">;
  readonly #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
  #costUsd: number | undefined = 0;

  constructor(models: Pick<Models, "priceOf">) {
    this.#models = models;
  }

  add(model: string, usage: TokenUsage): void {
    const price = this.#models.priceOf(model, promptOf(usage));
    this.#costUsd = price && this.#costUsd !== undefined ? this.#costUsd + costAt(price, usage) : undefined;
    this.#usage.input += usage.input;
    this.#usage.output += usage.output;
    this.#usage.cacheRead += usage.cacheRead;
    this.#usage.cacheWrite += usage.cacheWrite;
    this.#usage.cacheWriteHour += usage.cacheWriteHour ?? 0;
  }

  get figures(): Pick<Replayed, "usage" | "costUsd"> {
    const { input, output, cacheRead, cacheWrite, cacheWriteHour } = this.#usage;
    return {
      usage: {
        input: Math.round(input),
        output: Math.round(output),
        cacheRead: Math.round(cacheRead),
        cacheWrite: Math.round(cacheWrite),
        cacheWriteHour: Math.round(cacheWriteHour),
      },
      costUsd: this.#costUsd,
    };
  }
}

function sumOf<T>(items: readonly T[], figure: (item: T) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0);
}
