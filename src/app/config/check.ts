import { checkAllPaths } from "../../config/check-paths.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError, type Problem } from "../../config/error.ts";
import { configFrom } from "../../config/layers/from-layers.ts";
import { loadWritten } from "../../config/load.ts";
import type { Project } from "../project.ts";
import { waitingIn } from "../trust/review.ts";
import { misspelt } from "./misspelt.ts";

export { problemText } from "../../config/error.ts";

export type CheckedConfig =
  | {
      ok: true;
      /** What was read, the project's own file first. */
      files: string[];
      agents: string[];
      /** How many of its keys, and of the files that they name, nobody has agreed to. */
      untrusted: number;
      /** Names that are most likely misspelt. Nothing is refused for them. */
      warnings: Problem[];
    }
  | { ok: false; error: ConfigError };

/** Asks the trackers and remotes that it names whether it can do what it says. */
async function refuseUnreachable(config: Config): Promise<void> {
  if (config.workSources.length === 0) return;
  const { checkWork } = await import("../work/check.ts");
  const problems = await checkWork(config);
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Reads everything that a job would be started with, and starts nothing. */
export async function checkConfig(
  project: Project,
  { online = false }: { online?: boolean } = {},
): Promise<CheckedConfig> {
  try {
    const written = loadWritten(project, { withhold: false });
    const config = configFrom(written);
    checkAllPaths(config);
    if (online) await refuseUnreachable(config);
    const agents = config.agents.map(({ name }) => name);
    return {
      ok: true,
      files: written.files,
      agents,
      untrusted: waitingIn(config),
      warnings: await misspelt(config, written),
    };
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, error };
    throw error;
  }
}
