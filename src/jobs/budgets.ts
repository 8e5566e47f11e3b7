import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { BudgetConfig } from "../config/config.ts";
import { storePath } from "../files/store-path.ts";
import { periodOf, type Standing, spentByJob, standing, usedUpInWords, withMore } from "../job/budgets.ts";
import { saysFirst } from "../store/fleet/said.ts";
import { costIn } from "../store/spend.ts";
import { openFleetState } from "../store/sqlite/fleet-state.ts";
import { openStoreToRead, type Store } from "../store/store.ts";
import { digest } from "../util/digest.ts";
import { messageOf } from "../util/errors.ts";
import type { Journal } from "./journal.ts";

/** What is left of budgets: the same figures for who shows them and for who stops at them. `open`: stores that are so already. */
export function standingsIn(
  store: Store,
  budgets: readonly BudgetConfig[],
  now: Date,
  open: readonly Store[] = [],
): Promise<Standing[]> {
  const known = new Map([store, ...open].map((each) => [each.path, each]));
  return Promise.all(
    budgets.map(async (budget) => {
      const { agent, per, projects } = budget;
      const what = { ...periodOf(per, now), ...(agent !== undefined && { agent }) };
      const stores = projects ? projects.map(storePath) : [store.path];
      const spent = await Promise.all(stores.map((path) => spentIn(path, known, what)));
      return standing(budget, spent.reduce(added), now);
    }),
  );
}

/** A project that has never had a job has spent nothing. One that is not there may have spent anything. */
async function spentIn(
  path: string,
  known: ReadonlyMap<string, Store>,
  what: Parameters<typeof costIn>[1],
): Promise<Cost> {
  const open = known.get(path);
  if (open) return await costIn(open, what);
  const project = dirname(dirname(path));
  if (!existsSync(project))
    throw new Error(`${project} is not there, and your own file names it in projects`);
  if (!existsSync(path)) return { costUsd: 0, simulatedUsd: 0, estimatedUsd: 0 };
  await using other = await openStoreToRead(path);
  return await costIn(other, what);
}

type Cost = Awaited<ReturnType<typeof costIn>>;

const added = (a: Cost, b: Cost): Cost => ({
  costUsd: a.costUsd + b.costUsd,
  simulatedUsd: a.simulatedUsd + b.simulatedUsd,
  estimatedUsd: a.estimatedUsd + b.estimatedUsd,
});

/** The one that lets nothing more of an agent start, where there is one. */
export async function usedUpIn(
  store: Store,
  budgets: readonly BudgetConfig[],
  now: Date,
  open: readonly Store[] = [],
): Promise<Standing | undefined> {
  const holding = budgets.filter(({ action }) => action !== "warn");
  return (await standingsIn(store, holding, now, open)).find(({ isUsedUp }) => isUsedUp);
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

  /** Of each of its times once, in whichever process, and once in this one where that cannot be kept. */
  #warnOnce(used: Standing): void {
    const { journal, now, warn } = this.#watched;
    const { projects } = used.budget;
    const key = JSON.stringify([projects ?? journal.store.path, used.budget, used.from]);
    if (warned.has(key)) return;
    warned.add(key);
    if (isFirst(key, now())) warn(usedUpInWords(used));
  }
}

const warned = new Set<string>();

function isFirst(key: string, now: Date): boolean {
  try {
    using state = openFleetState();
    return saysFirst(state, digest(key), now);
  } catch {
    return true;
  }
}
