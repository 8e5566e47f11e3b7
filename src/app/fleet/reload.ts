import { messageOf } from "../../util/errors.ts";
import { configOf } from "../project.ts";
import { passGate } from "../trust/gate.ts";
import type { Tell } from "./news.ts";
import type { FleetProject } from "./projects.ts";

const READ_MS = 2_000;

/**
 * Reads the files of projects again while their fleet runs, so that what is changed in them holds for whatever starts from
 * then on. A file that is broken, or that nobody agreed to, changes nothing.
 */
export class Reload {
  readonly #tell: Tell;
  /** Of each project what was last said to be wrong. */
  readonly #problems = new Map<string, string>();
  #readAt = performance.now();

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  async look(projects: readonly FleetProject[]): Promise<void> {
    if (performance.now() - this.#readAt < READ_MS) return;
    this.#readAt = performance.now();
    for (const each of projects) await this.#read(each);
  }

  async #read(each: FleetProject): Promise<void> {
    const { root } = each.project;
    try {
      const config = await configOf(each.project);
      for (const agent of config.agents) passGate(config, agent);
      this.#problems.delete(root);
      if (JSON.stringify(config) === JSON.stringify(each.config)) return;
      each.config = config;
      this.#tell({ project: root, what: "reloaded" });
    } catch (error) {
      const why = `The configuration as it is now is not used; what was read before still holds. ${messageOf(error)}`;
      if (this.#problems.get(root) === why) return;
      this.#problems.set(root, why);
      this.#tell({ project: root, what: "problem", why });
    }
  }
}
