import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findConfig, supervisorConfigPath, userConfigPath } from "../../config/find.ts";
import type { Threshold } from "../../config/reader/threshold.ts";

/** What hooks need of a project's configuration. On record with the session: to read YAML takes longer than a hook may. */
export interface HookSettings {
  /** False leaves a full window to Claude Code's own compaction. */
  enabled: boolean;
  threshold: Threshold;
  orchestratorThreshold: Threshold;
  warnAt: readonly number[];
  /** Somebody can continue what is handed over: no program runs it for one prompt. */
  attended: boolean;
  handoffDir: string;
  /** What `baton watch` sends orchestrators: it is not a person's word. */
  checkMessage?: string;
  configuredWindow?: number;
  /** Why the configuration could not be read: then these are the defaults. */
  problem?: string;
  /** Tells the files that it was read from, as they were then. */
  stamp: string;
}

/** Another one once a file of the configuration was written, made or removed. */
export function stampOf(project: string): string {
  const config = findConfig(project) ?? join(project, "baton.yaml");
  return [config, userConfigPath(), supervisorConfigPath(), supervisorConfigPath(dirname(config))]
    .map((path) => `${path}@${statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? ""}`)
    .join(" ");
}
