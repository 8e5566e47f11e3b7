import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Config } from "./config.ts";
import { userConfigPath } from "./find.ts";
import { configFrom } from "./layers/from-layers.ts";
import { readSources, type Written } from "./layers/read-sources.ts";
import { CONFIG_LIMITS } from "./limits.ts";
import { readText } from "./yaml/source.ts";

/**
 * Reads a configuration file, and what the user has set for all projects. Everything that is wrong comes in one
 * ConfigError.
 */
export function loadConfig(path: string): Config {
  return loadConfigOf({ root: dirname(resolve(path)), configPath: resolve(path) });
}

interface Project {
  root: string;
  /** Absent where there is no baton.yaml. */
  configPath?: string;
}

/** `most`: how many bytes are read in all, where that must be quick. */
export function loadConfigOf(project: Project, most?: number): Config {
  return configFrom(loadWritten(project, most));
}

/** The same with the origin of every value. */
export function loadWritten({ root, configPath }: Project, most: number = CONFIG_LIMITS.allBytes): Written {
  const user = userConfigPath();
  return readSources({
    ...(configPath !== undefined && {
      project: { path: configPath, text: readText(configPath, Math.min(CONFIG_LIMITS.bytes, most)) },
    }),
    ...(existsSync(user) && { user: { path: user, text: readText(user) } }),
    root: configPath === undefined ? root : dirname(configPath),
    home: homedir(),
    env: process.env,
    most,
  });
}
