import { resolve } from "node:path";
import { checkConfig, problemText } from "../../app/config/check.ts";
import { findProject, projectOf } from "../../app/project.ts";
import { shortPath } from "../../display/path.ts";
import { printJson, printWords } from "../../display/print.ts";
import { counted } from "../../util/figures.ts";
import { EXIT } from "../exit.ts";

export interface ConfigCheckOptions {
  config?: string;
  json?: boolean;
  online?: boolean;
}

export async function configCheck(file: string | undefined, options: ConfigCheckOptions): Promise<number> {
  const named = file ?? options.config;
  const checked = await checkConfig(named === undefined ? findProject({}) : projectOf(resolve(named)), {
    online: options.online ?? false,
  });
  if (!checked.ok) {
    if (!options.json) throw checked.error;
    const { problems, more } = checked.error;
    printJson({ ok: false, problems, ...(more > 0 && { more }) });
    return EXIT.usage;
  }
  if (options.json) {
    printJson(checked);
    return EXIT.completed;
  }
  const { files, agents, untrusted, warnings } = checked;
  const [first, ...others] = files.map((path) => shortPath(path));
  if (first === undefined) printWords("There is no baton.yaml here: the defaults apply.");
  else printWords(`${first} is valid: ${counted(agents.length, "agent")}.`);
  if (others.length > 0) printWords(`Read with it: ${others.join(", ")}`);
  if (untrusted > 0) {
    printWords(
      `${counted(untrusted, "thing")} in it ${untrusted === 1 ? "waits" : "wait"} for your consent. Review it with: baton trust`,
    );
  }
  for (const warning of warnings) printWords(`\nWarning: ${problemText(warning)}`);
  return EXIT.completed;
}
