import { findProject } from "../../app/project.ts";
import { untrustedIn } from "../../app/trust/check.ts";
import { checkAllPaths } from "../../config/check-paths.ts";
import { ConfigError } from "../../config/error.ts";
import { configFrom } from "../../config/layers/from-layers.ts";
import { loadWritten } from "../../config/load.ts";
import { shortPath } from "../../display/path.ts";
import { counted } from "../../util/figures.ts";
import { EXIT } from "../exit.ts";

export interface ConfigCheckOptions {
  config?: string;
  json?: boolean;
}

/** Reads everything that a job would be started with, and starts nothing. */
export async function configCheck(file: string | undefined, options: ConfigCheckOptions): Promise<number> {
  const named = file ?? options.config;
  const project = findProject(named === undefined ? {} : { config: named });
  try {
    const written = loadWritten(project);
    const config = configFrom(written);
    checkAllPaths(config);
    const agents = config.agents.map(({ name }) => name);
    const untrusted = await untrustedIn(config.commands);
    if (options.json) {
      console.log(JSON.stringify({ ok: true, files: written.files, agents, untrusted: untrusted.length }));
      return EXIT.completed;
    }
    const [first, ...others] = written.files.map((path) => shortPath(path));
    if (first === undefined) console.log("There is no baton.yaml here: the defaults apply.");
    else console.log(`${first} is valid: ${counted(agents.length, "agent")}.`);
    if (others.length > 0) console.log(`Read with it: ${others.join(", ")}`);
    if (untrusted.length > 0) {
      console.log(`${counted(untrusted.length, "command")} in it will not run before \`baton trust\`.`);
    }
    return EXIT.completed;
  } catch (error) {
    if (!(error instanceof ConfigError) || !options.json) throw error;
    console.log(JSON.stringify({ ok: false, problems: error.problems }));
    return EXIT.usage;
  }
}
