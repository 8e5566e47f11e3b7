import type { AgentEvent } from "../../../agents/events.ts";
import type { AgentConfig } from "../../../config/config.ts";
import { abilitiesOf } from "../../../config/runtimes/runtimes.ts";
import type { JobEvent } from "../../../job/events.ts";
import { costLimitReached, limitReached, type Spent, uncounted } from "../../../job/limits.ts";
import type { BudgetWatch } from "../../budgets.ts";
import type { LegEnd } from "../leg-end.ts";
import type { LiveSession } from "../live-session.ts";

type Paused = Extract<LegEnd, { kind: "paused" }>;

interface LimitWatchOptions {
  config: Pick<AgentConfig, "limits" | "runtime" | "command">;
  spent: () => Spent;
  budgets?: BudgetWatch;
  append: (event: JobEvent) => void;
  time: () => number;
  /** What was found between two responses calls for an end of the turn. */
  stopFor: (stop: Paused) => void;
  isRunning: () => boolean;
}

const COST_INTERVAL_MS = 60_000;

/** What the user's own limits, and the budgets, call for while a session works. */
export class LimitWatch {
  readonly #live: LiveSession;
  readonly #options: LimitWatchOptions;
  #costAskedAt: number;

  constructor(live: LiveSession, options: LimitWatchOptions) {
    this.#live = live;
    this.#options = options;
    this.#costAskedAt = options.time();
  }

  /** The limit that is reached, as far as is known here and now. */
  reached(): Paused | undefined {
    const { config, spent, budgets } = this.#options;
    const message = limitReached(config.limits, spent());
    // Asked in any case: a budget that only warns does so here.
    const usedUp = budgets?.usedUp();
    if (message) return { kind: "paused", code: "limit_reached", message };
    return usedUp ? { kind: "paused", code: "budget", message: usedUp } : undefined;
  }

  /** What nobody can count would pass any limit in dollars, unless the program tells its cost at the end. */
  uncounted(response: Extract<AgentEvent, { type: "response" }>): Paused | undefined {
    const { runtime, command } = this.#options.config;
    if (!this.#isCostLimited || abilitiesOf(runtime, command).cost === "told") return undefined;
    const message = uncounted(response);
    return message ? { kind: "paused", code: "limit_reached", message } : undefined;
  }

  /**
   * A subagent has boundaries of its own, and may go on for hours after that of the main thread was due: at the limit of
   * cost the work ends here.
   */
  subagentHeard(): Paused | undefined {
    const { config, spent, budgets } = this.#options;
    if (!this.#isCostLimited) return undefined;
    this.askCost();
    const message = costLimitReached(config.limits, spent());
    if (message) return { kind: "paused", code: "limit_reached", message };
    const usedUp = budgets?.usedUp();
    if (usedUp) return { kind: "paused", code: "budget", message: usedUp };
    this.lookAtBudgets();
    return undefined;
  }

  /** Other jobs spend of them, too. */
  lookAtBudgets(): void {
    const { budgets, isRunning, stopFor } = this.#options;
    if (!budgets || budgets.isEmpty) return;
    void budgets.look().then((message) => {
      if (message && isRunning()) stopFor({ kind: "paused", code: "budget", message });
    });
  }

  /** The program tells its cost at the end of a turn, which can be hours away. */
  askCost(): void {
    const { append, time, stopFor } = this.#options;
    const limited = this.#isCostLimited;
    if (!limited && time() - this.#costAskedAt < COST_INTERVAL_MS) return;
    this.#costAskedAt = time();
    void this.#live.session.costSoFar().then((costUsd) => {
      if (costUsd === undefined) return;
      append({ type: "cost", session: this.#live.id, costUsd });
      const stop = limited ? this.reached() : undefined;
      if (stop) stopFor(stop);
    });
  }

  /** By the user, for this job or for many. */
  get #isCostLimited(): boolean {
    const { config, budgets } = this.#options;
    return config.limits.costUsd !== undefined || (budgets !== undefined && !budgets.isEmpty);
  }
}
