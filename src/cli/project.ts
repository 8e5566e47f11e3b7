import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { findConfig } from "../config/find.ts";
import { configWithoutFile } from "../config/without-file.ts";
import { sweepInterrupted } from "../store/claims.ts";
import { StoreError } from "../store/errors.ts";
import { openStore, openStoreToRead, type Store } from "../store/store.ts";
import { UsageError } from "./exit.ts";

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
    if (existsSync(storePath(folder))) return { root: folder };
    if (existsSync(join(folder, ".git")) || folder === dirname(folder)) return { root: cwd };
  }
}

/** YAML is only loaded where there is a file to read. */
export async function configOf(project: Project): Promise<Config> {
  if (!project.configPath) return configWithoutFile(project.root);
  const { loadConfig } = await import("../config/load.ts");
  return loadConfig(project.configPath);
}

export function storePath(root: string): string {
  return join(root, ".baton", "baton.db");
}

export function openProjectStore(project: Project): Promise<Store> {
  return openStore(storePath(project.root));
}

/**
 * For commands that only look. Jobs whose process died are marked on the way; where that cannot be written,
 * what can be read is shown as it stands.
 */
export async function lookIntoStore(project: Project): Promise<Store> {
  const path = storePath(project.root);
  if (!existsSync(path)) {
    throw new UsageError(
      `No job has run here yet: there is no ${path}.\nStart one with \`baton run "what is to be done"\`.`,
    );
  }
  let store: Store | undefined;
  try {
    store = await openStore(path);
    await sweepInterrupted(store, new Date());
    return store;
  } catch (error) {
    await store?.close();
    if (!(error instanceof StoreError)) throw error;
    const readable = await openStoreToRead(path);
    console.error(`${error.message}\nShowing what can be read.`);
    return readable;
  }
}
