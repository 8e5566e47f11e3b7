import type { AgentConfig, MaintenanceConfig } from "../../config/config.ts";
import { archiveOld } from "../../jobs/end/archive.ts";
import { maintainRegularly } from "../../jobs/end/maintenance.ts";
import { removeScratch } from "../../jobs/end/scratch-left.ts";
import type { Journal } from "../../jobs/journal.ts";
import { tidyDocuments } from "../../sessions/record/archive.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";

/**
 * Archives old documents, deletes archived ones that have outlived their days, and removes what older jobs left:
 * once the agent is up, beside its work. Whoever wants the job to end need not wait for it.
 */
export function keepHouse(
  store: Store,
  journal: Journal,
  config: AgentConfig,
  maintenance: MaintenanceConfig,
  ending: AbortSignal,
): AsyncDisposable {
  let leave = async () => {};
  const unsubscribe = journal.subscribe(({ type }) => {
    if (type !== "session:started") return;
    unsubscribe();
    const house = houses.get(store) ?? new House(store, maintenance);
    leave = house.enter(journal, config, ending);
  });
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await leave();
    },
  };
}

const houses = new WeakMap<Store, House>();

/** One for all jobs that this process runs in a store. It begins with the first and ends with the last. */
class House {
  readonly #store: Store;
  readonly #jobs = new Set<Journal>();
  /** Those of them that nobody has asked to end. */
  readonly #staying = new Set<Journal>();
  /** Of agents whose documents were put in order. */
  readonly #folders = new Set<string>();
  /** Aborted when no job stays: whoever ends one does not wait. */
  readonly #ending = new AbortController();
  readonly #regularly: AsyncDisposable;
  #work: Promise<void>;

  constructor(store: Store, maintenance: MaintenanceConfig) {
    this.#store = store;
    houses.set(store, this);
    const { signal } = this.#ending;
    this.#regularly = maintainRegularly(store, maintenance, signal, (why) =>
      this.#warn(`What older jobs left behind could not be removed: ${why}`),
    );
    this.#work = this.#tidying(() => archiveOld(store, new Date(), signal));
  }

  /** Returns what the job calls when it is over. The last one waits for what is still being done. */
  enter(journal: Journal, config: AgentConfig, ending: AbortSignal): () => Promise<void> {
    this.#jobs.add(journal);
    this.#staying.add(journal);
    this.#tidyFolder(config);
    const end = () => this.#end(journal);
    ending.addEventListener("abort", end);
    if (ending.aborted) end();
    return async () => {
      ending.removeEventListener("abort", end);
      await this.#leave(journal);
    };
  }

  #end(journal: Journal): void {
    this.#staying.delete(journal);
    if (this.#staying.size > 0) return;
    this.#close();
    this.#ending.abort();
  }

  async #leave(journal: Journal): Promise<void> {
    if (this.#jobs.size > 1) {
      this.#jobs.delete(journal);
      this.#end(journal);
      return;
    }
    this.#close();
    await this.#regularly[Symbol.asyncDispose]();
    await this.#work;
    this.#jobs.delete(journal);
  }

  /** A job that begins from now on gets another. */
  #close(): void {
    if (houses.get(this.#store) === this) houses.delete(this.#store);
  }

  #tidyFolder(config: AgentConfig): void {
    const { handoff } = config;
    if (this.#folders.has(handoff.dir)) return;
    this.#folders.add(handoff.dir);
    const tidy = async () => {
      if (this.#ending.signal.aborted) return;
      removeScratch([config]);
      await tidyDocuments(userRegistry(), handoff, new Date());
    };
    this.#work = this.#work.then(() => this.#tidying(tidy));
  }

  async #tidying(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const why = messageOf(error);
      this.#warn(`Old handoff documents could not be archived: ${why}`);
    }
  }

  /** In the journal of whichever job is there. */
  #warn(message: string): void {
    const [journal] = this.#jobs;
    journal?.append({ type: "warning", message });
  }
}
