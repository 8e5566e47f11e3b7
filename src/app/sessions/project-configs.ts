import type { Config } from "../../config/config.ts";
import { problemInALine } from "../../config/error.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import { configOf, findProject } from "../project.ts";

/**
 * The configurations of the projects that one process looks after. A file that cannot be read leaves nobody alone: the
 * defaults apply meanwhile. That is said once for each file, and again only once it was in order in between.
 */
export class ProjectConfigs {
  readonly #tell: (project: string, what: string) => void;
  /** What is wrong, by project. A file of the user's is wrong in all of them. */
  readonly #problems = new Map<string, string>();

  constructor(tell: (project: string, what: string) => void) {
    this.#tell = tell;
  }

  /** What holds in a project now. */
  async inUse(project: string): Promise<Config> {
    return (await this.readable(project)) ?? configWithoutFile(project);
  }

  /** Undefined where it cannot be read, for whoever does nothing then. */
  async readable(project: string): Promise<Config | undefined> {
    try {
      const config = await configOf(findProject({}, project));
      if (this.#problems.delete(project)) this.#tell(project, "its configuration can be read again");
      return config;
    } catch (error) {
      this.#complain(project, problemInALine(error));
      return undefined;
    }
  }

  #complain(project: string, problem: string): void {
    const isSaid = [...this.#problems.values()].includes(problem);
    this.#problems.set(project, problem);
    if (isSaid) return;
    this.#tell(
      project,
      `the defaults apply, because its configuration cannot be read: ${problem}. \`baton config check\` says more`,
    );
  }
}
