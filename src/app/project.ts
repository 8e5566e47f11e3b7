import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { findConfig, userConfigPath } from "../config/find.ts";
import { configWithoutFile } from "../config/without-file.ts";
import { printError } from "../display/print.ts";
import { sweepInterrupted } from "../store/claims.ts";
import { StoreError } from "../store/errors.ts";
import type { Store } from "../store/store.ts";
import { UsageError } from "./usage-error.ts";

/** Where a command works: the folder that holds `baton.yaml` and `.baton/`. */
export interface Project {
  root: string;
  configPath?: string;
}

/** `--config` says it; else the nearest `baton.yaml` or `.baton/` from here upwards; else this folder. */
export function findProject(options: { config?: string }, cwd = process.cwd()): Project {
  const configPath = options.config ? resolve(cwd, options.config) : findConfig(cwd);
  if (configPath) return { root: dirname(configPath), configPath };
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (hasStore({ root: folder })) return { root: folder };
    if (existsSync(join(folder, ".git")) || folder === dirname(folder)) return { root: cwd };
  }
}

/** YAML is only loaded where there is a file to read: the project's, or the user's for all projects. */
export async function configOf(project: Project, most?: number): Promise<Config> {
  if (!project.configPath && !existsSync(userConfigPath())) return configWithoutFile(project.root);
  const { loadConfigOf } = await import("../config/load.ts");
  return loadConfigOf(project, most === undefined ? {} : { most });
}

export function storePath(root: string): string {
  return join(root, ".baton", "baton.db");
}

/** The database is only loaded where there is a use for it. */
export async function openProjectStore(project: Project): Promise<Store> {
  const { openStore } = await import("../store/store.ts");
  return openStore(storePath(project.root));
}

/** For commands that change a job. */
export async function openStoreOfJobs(project: Project): Promise<Store> {
  refuseWithoutStore(project);
  return openSwept(project);
}

/** Jobs whose process died are marked on the way. */
export async function openSwept(project: Project): Promise<Store> {
  const store = await openProjectStore(project);
  try {
    await sweepInterrupted(store, new Date());
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** For commands that only look. Where nothing can be written, what can be read is shown as it stands. */
export async function lookIntoStore(project: Project): Promise<Store> {
  refuseWithoutStore(project);
  try {
    return await openSwept(project);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { openStoreToRead } = await import("../store/store.ts");
    const readable = await openStoreToRead(storePath(project.root));
    printError(`${error.message}\nShowing what can be read.`);
    return readable;
  }
}

export function hasStore({ root }: Project): boolean {
  return existsSync(storePath(root));
}

function refuseWithoutStore(project: Project): void {
  if (hasStore(project)) return;
  throw new UsageError(
    `No job has run here yet: there is no ${storePath(project.root)}.\nStart one with \`baton run "what to do"\`.`,
  );
}
