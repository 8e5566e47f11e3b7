import { setTimeout as sleep } from "node:timers/promises";
import {
  askToRead,
  type ConfigurationRead,
  configurationOf,
  hasRead,
  readsAsked,
  recordConfiguration,
  recordReads,
} from "../../store/fleet/configurations.ts";
import { fleetsIn } from "../../store/fleet/fleets.ts";
import { type FleetState, lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import { messageOf } from "../../util/errors.ts";
import { configOf, type Project } from "../project.ts";
import { passGate, UntrustedError } from "../trust/gate.ts";
import type { Tell } from "./news.ts";
import type { FleetProject } from "./projects.ts";
import { fleetToAsk } from "./stop.ts";

const READ_MS = 2_000;

interface ReloadOptions {
  state: FleetState;
  fleet: number;
  tell: Tell;
}

/**
 * Reads the files of projects again while their fleet runs, so that what is changed in them holds for whatever starts from
 * then on. A file that is broken, or that nobody agreed to, changes nothing, and every face of the fleet says so.
 */
export class Reload {
  readonly #options: ReloadOptions;
  readonly #reads = new Map<string, ConfigurationRead>();
  #readAt = performance.now();

  constructor(options: ReloadOptions) {
    this.#options = options;
  }

  async look(projects: readonly FleetProject[]): Promise<void> {
    const { state, fleet } = this.#options;
    const asked = readsAsked(state, fleet);
    if (asked === undefined && performance.now() - this.#readAt < READ_MS) return;
    this.#readAt = performance.now();
    for (const each of projects) await this.#read(each);
    if (asked !== undefined) recordReads(state, fleet, asked);
  }

  async #read(each: FleetProject): Promise<void> {
    const { root } = each.project;
    const { tell } = this.#options;
    const before = this.#reads.get(root);
    try {
      const config = await configOf(each.project);
      for (const agent of config.agents) passGate(config, agent);
      const isChanged = JSON.stringify(config) !== JSON.stringify(each.config);
      if (!isChanged && !before?.problem) return;
      each.config = config;
      const now = new Date().toISOString();
      const changedAt = isChanged ? now : (before?.changedAt ?? null);
      this.#record({ project: root, changedAt, problem: null, since: null });
      tell({ project: root, what: "reloaded", isChanged });
    } catch (error) {
      const problem = error instanceof UntrustedError ? error.inBrief : messageOf(error);
      if (before?.problem === problem) return;
      const since = new Date().toISOString();
      this.#record({ project: root, changedAt: before?.changedAt ?? null, problem, since });
      tell({
        ...{ project: root, what: "problem" },
        why: `The current configuration cannot be used, so the fleet keeps the one that it read before. ${problem}`,
      });
    }
  }

  #record(read: ConfigurationRead): void {
    const { state, fleet } = this.#options;
    this.#reads.set(read.project, read);
    recordConfiguration(state, fleet, read);
  }
}

/** What came of reading the files of a project again. */
export interface Reloaded {
  project: string;
  outcome: "changed" | "unchanged" | "refused";
  /** Of `refused`: why what was read before still holds. */
  problem?: string;
}

const POLL_MS = 50;

/** Has the fleet of a project read the files of all its projects now, and returns what came of it. */
export async function reloadFleet(project: Project): Promise<Reloaded[]> {
  using found = lookIntoFleetState();
  const { state, fleet } = fleetToAsk(found, project);
  const began = new Date().toISOString();
  const number = askToRead(state, fleet.id);
  while (!hasRead(state, fleet.id, number)) {
    if (!fleetsIn(state).some(({ id }) => id === fleet.id)) fleetToAsk(state, project);
    await sleep(POLL_MS);
  }
  return fleet.projects.map((root) => outcomeOf(root, configurationOf(state, root), began));
}

function outcomeOf(project: string, read: ConfigurationRead | undefined, began: string): Reloaded {
  if (read?.problem) return { project, outcome: "refused", problem: read.problem };
  return { project, outcome: (read?.changedAt ?? "") >= began ? "changed" : "unchanged" };
}
