import { dirname } from "node:path";
import type { Config } from "../config.ts";
import type { Environment } from "../yaml/variables.ts";
import { configFrom } from "./from-layers.ts";
import { readSources } from "./read-sources.ts";

/** The configuration that the `text` of a baton.yaml says, or a ConfigError with everything that is wrong with it. */
export function parseConfig(
  text: string,
  path: string,
  home: string,
  env: Environment = process.env,
): Config {
  return configFrom(
    readSources({ project: { path, text }, root: dirname(path), home, env, trusted: {}, withhold: false }),
  );
}
