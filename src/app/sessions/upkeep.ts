import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Config, MaintenanceConfig } from "../../config/config.ts";
import { madeStores } from "../../files/made-here.ts";
import { maintain } from "../../jobs/end/maintenance.ts";
import { messageOf } from "../../util/errors.ts";
import { MINUTE_MS } from "../../util/time.ts";
import { findProject, openStoreOfJobs, type Project } from "../project.ts";

interface UpkeepOptions {
  signal: AbortSignal;
  /** Undefined where it cannot be read. */
  configOf: (project: string) => Promise<Config | undefined>;
  /** What was done for a project. */
  tell: (project: string, what: string) => void;
  complain: (project: string, problem: string) => void;
}

/**
 * Removes what old jobs left, in every project in which this user has run some, as often as the project's own settings
 * say. Beside whatever else this process does: a removal may take its time.
 */
export class Upkeep {
  readonly #options: UpkeepOptions;
  /** When each project was last cleaned up, or first seen if its first look is to wait. */
  readonly #last = new Map<string, number>();
  #lookedAt = 0;
  #work: Promise<void> | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  look(): void {
    if (this.#work || Date.now() - this.#lookedAt < MINUTE_MS) return;
    this.#lookedAt = Date.now();
    this.#work = this.#everywhere().finally(() => {
      this.#work = undefined;
    });
  }

  async settled(): Promise<void> {
    await this.#work;
  }

  async #everywhere(): Promise<void> {
    const { signal, complain } = this.#options;
    for (const store of madeStores()) {
      if (signal.aborted) return;
      if (!existsSync(store)) continue;
      const root = dirname(dirname(store));
      await this.#lookAfter(root).catch((error: unknown) => {
        complain(root, `what older jobs left behind could not be removed: ${messageOf(error)}`);
      });
    }
  }

  async #lookAfter(root: string): Promise<void> {
    const project = findProject({}, root);
    // A folder above may hold a project of its own, with another store.
    if (project.root !== root) return;
    const config = await this.#options.configOf(root);
    if (!config) return;
    const { maintenance } = config;
    if (this.#isDue(root, maintenance.worktreeCleanup)) await this.#tidy(project, maintenance);
  }

  #isDue(root: string, { enabled, intervalMs, cleanupOnStartup }: MaintenanceConfig["worktreeCleanup"]) {
    const now = Date.now();
    const last = this.#last.get(root);
    const isDue = enabled && (last === undefined ? cleanupOnStartup : now - last >= intervalMs);
    if (isDue || last === undefined) this.#last.set(root, now);
    return isDue;
  }

  async #tidy(project: Project, maintenance: MaintenanceConfig): Promise<void> {
    const { signal, tell } = this.#options;
    await using store = await openStoreOfJobs(project);
    const done = await maintain(store, maintenance, { dryRun: false, signal, now: () => new Date() });
    for (const { job, leftover, done: came } of done?.worktrees ?? []) {
      // What became of a branch is nothing that anybody waits for.
      if (!came || leftover.action === "look-at-branch") continue;
      tell(project.root, `${job.id}, ${leftover.reason}: ${came.ok ? "its worktree is gone" : came.said}`);
    }
  }
}
