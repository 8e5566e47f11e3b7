import { checkConfig } from "../../app/config/check.ts";
import { findProject } from "../../app/project.ts";
import { shortPath } from "../../display/path.ts";
import { counted } from "../../util/figures.ts";
import { EXIT } from "../exit.ts";

export interface ConfigCheckOptions {
  config?: string;
  json?: boolean;
}

export async function configCheck(file: string | undefined, options: ConfigCheckOptions): Promise<number> {
  const named = file ?? options.config;
  const checked = await checkConfig(findProject(named === undefined ? {} : { config: named }));
  if (!checked.ok) {
    if (!options.json) throw checked.error;
    const { problems, more } = checked.error;
    console.log(JSON.stringify({ ok: false, problems, ...(more > 0 && { more }) }));
    return EXIT.usage;
  }
  if (options.json) {
    console.log(JSON.stringify(checked));
    return EXIT.completed;
  }
  const { files, agents, untrusted } = checked;
  const [first, ...others] = files.map((path) => shortPath(path));
  if (first === undefined) console.log("There is no baton.yaml here: the defaults apply.");
  else console.log(`${first} is valid: ${counted(agents.length, "agent")}.`);
  if (others.length > 0) console.log(`Read with it: ${others.join(", ")}`);
  if (untrusted > 0) {
    console.log(`${counted(untrusted, "command")} in it will not run before \`baton trust\`.`);
  }
  return EXIT.completed;
}
