import type { BudgetConfig } from "../config/config.ts";
import { periodOf, type Standing, spentByJob, standing, usedUpInWords, withMore } from "../job/budgets.ts";
import { costIn } from "../store/spend.ts";
import type { Store } from "../store/store.ts";
import { messageOf } from "../util/errors.ts";
import type { Journal } from "./journal.ts";

/** What is left of budgets: the same figures for who shows them and for who stops at them. */
export function standingsIn(store: Store, budgets: readonly BudgetConfig[], now: Date): Promise<Standing[]> {
  return Promise.all(
    budgets.map(async (budget) => {
      const { agent } = budget;
      const whose = agent === undefined ? {} : { agent };
      return standing(budget, await costIn(store, { ...periodOf(budget.per, now), ...whose }), now);
    }),
  );
}

/** The one that lets nothing more of an agent start, where there is one. */
export async function usedUpIn(
  store: Store,
  budgets: readonly BudgetConfig[],
  now: Date,
): Promise<Standing | undefined> {
  const holding = budgets.filter(({ action }) => action !== "warn");
  return (await standingsIn(store, holding, now)).find(({ isUsedUp }) => isUsedUp);
}

/** A budget as it was last read, and what the job at hand had spent of it by then. */
interface Known {
  standing: Standing;
  byJob: number;
}

interface Watched {
  journal: Pick<Journal, "job" | "flush" | "store">;
  now: () => Date;
  warn: (message: string) => void;
}

/** How often it is read again because the job spent more meanwhile. */
const MOST_READINGS = 5;

/**
 * The budgets that a job's work counts for. What other jobs spend is read after every response; what this one spends is
 * known at once, so that a cap holds to within one response.
 */
export class BudgetWatch {
  readonly #budgets: readonly BudgetConfig[];
  readonly #watched: Watched;
  #known: Known[] = [];
  #problem: string | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(budgets: readonly BudgetConfig[], watched: Watched) {
    this.#budgets = budgets;
    this.#watched = watched;
  }

  get isEmpty(): boolean {
    return this.#budgets.length === 0;
  }

  /** Why the work may not go on, as far as is known here and now. A budget that cannot be read is used up. */
  usedUp(): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    const { journal, now } = this.#watched;
    for (const { standing: before, byJob } of this.#known) {
      if (now() >= before.to) continue;
      const after = withMore(before, spentByJob(before.budget, journal.job) - byJob);
      if (!after.isUsedUp) continue;
      if (before.budget.action === "pause") return usedUpInWords(after);
      this.#warnOnce(after);
    }
    return undefined;
  }

  /** Reads what all jobs have spent, with all that this one has. */
  async look(): Promise<string | undefined> {
    if (this.isEmpty) return undefined;
    this.#looking = this.#looking.then(() => this.#read());
    await this.#looking;
    return this.usedUp();
  }

  async #read(): Promise<void> {
    const { journal, now } = this.#watched;
    try {
      let isWhole = false;
      for (let reading = 0; !isWhole && reading < MOST_READINGS; reading++) {
        const byJob = this.#spentByJob();
        await journal.flush();
        const standings = await standingsIn(journal.store, this.#budgets, now());
        this.#known = standings.map((standing, index) => ({ standing, byJob: byJob[index] ?? 0 }));
        // What the job spent meanwhile may be in the one and not in the other.
        isWhole = this.#spentByJob().every((spent, index) => spent === byJob[index]);
      }
      this.#problem = undefined;
    } catch (error) {
      const holds = this.#budgets.some(({ action }) => action === "pause");
      this.#problem = holds ? `The budget could not be read: ${messageOf(error)}` : undefined;
    }
  }

  #spentByJob(): number[] {
    return this.#budgets.map((budget) => spentByJob(budget, this.#watched.journal.job));
  }

  /** Of each of its times once, in this process. */
  #warnOnce(used: Standing): void {
    const { journal, warn } = this.#watched;
    const key = JSON.stringify([journal.store.path, used.budget, used.from]);
    if (warned.has(key)) return;
    warned.add(key);
    warn(usedUpInWords(used));
  }
}

const warned = new Set<string>();
