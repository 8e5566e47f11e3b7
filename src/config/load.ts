import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { type Trusted, trustedOrNothing } from "../trust/record.ts";
import type { Chosen } from "./chosen.ts";
import type { Config } from "./config.ts";
import { supervisorConfigPath, userConfigPath } from "./find.ts";
import { configFrom } from "./layers/from-layers.ts";
import { readSources, type Written } from "./layers/read-sources.ts";
import { CONFIG_LIMITS } from "./limits.ts";
import { readText } from "./yaml/source.ts";

interface Project {
  root: string;
  /** Absent where there is no baton.yaml. */
  configPath?: string;
}

/**
 * Reads a configuration file, and what the user has set for all projects. Of the project's files only what cannot hurt counts,
 * and what the user agreed to. Everything that is wrong comes in one ConfigError.
 */
export function loadConfigOf(project: Project, reading?: Reading): Config {
  return configFrom(loadWritten(project, reading), reading?.chosen);
}

interface Reading {
  trusted?: Trusted;
  /** False for who looks at what there is to agree to. */
  withhold?: boolean;
  chosen?: Chosen;
  /** How many bytes are read in all, where that must be quick. */
  most?: number;
}

/** The same with the origin of every value. */
export function loadWritten(
  { root, configPath }: Project,
  { trusted = trustedOrNothing(), withhold = true, most = CONFIG_LIMITS.allBytes }: Reading = {},
): Written {
  const folder = configPath === undefined ? root : dirname(configPath);
  const home = homedir();
  const limit = Math.min(CONFIG_LIMITS.bytes, most);
  const user = readIfThere(userConfigPath());
  const ofAll = readIfThere(supervisorConfigPath(home));
  // In the home folder the two are one, and the user's own.
  const ofProject = folder === home ? undefined : readIfThere(supervisorConfigPath(folder), limit);
  return readSources({
    ...(configPath !== undefined && { project: { path: configPath, text: readText(configPath, limit) } }),
    ...(user && { user }),
    supervisor: { ...(ofAll && { user: ofAll }), ...(ofProject && { project: ofProject }) },
    root: folder,
    home,
    env: process.env,
    trusted,
    withhold,
    most,
  });
}

function readIfThere(path: string, limit?: number): { path: string; text: string } | undefined {
  return existsSync(path) ? { path, text: readText(path, limit) } : undefined;
}
