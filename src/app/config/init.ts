import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { checkPaths } from "../../config/check-paths.ts";
import { ConfigError } from "../../config/error.ts";
import { initialConfig, SCHEMA_PATH } from "../../config/initial.ts";
import { configSchema } from "../../config/keys/files.ts";
import { parseConfig } from "../../config/layers/parse.ts";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { agreeToOwn } from "../trust/review.ts";

/** What a first baton.yaml is made from. */
export interface InitialAnswers {
  name: string;
  model?: string;
  directory?: string;
  permissionMode?: string;
}

/** What the file that follows from these answers would be refused for. */
export function objectionTo(answers: InitialAnswers, path: string): string | undefined {
  try {
    const config = parseConfig(initialConfig(answers), path, homedir());
    for (const agent of config.agents) checkPaths(config, agent);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message, fix }) => `${message}\n  ${fix}`).join("\n");
  }
}

/** With its schema, which editors read: beside the jobs of the project, and like them not for git, as it is of the Baton that is installed here. */
export async function writeInitial(answers: InitialAnswers, path: string): Promise<void> {
  const schema = join(dirname(path), SCHEMA_PATH);
  makeOwnFolder(dirname(schema));
  writeFileSync(schema, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
  writeFileSync(path, initialConfig(answers));
  await agreeToOwn(path);
}
