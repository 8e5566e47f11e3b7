import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Chosen } from "../config/chosen.ts";
import type { Config } from "../config/config.ts";
import { findConfig, searched, supervisorConfigPath, userConfigPath } from "../config/find.ts";
import { configWithoutFile } from "../config/without-file.ts";
import { printError } from "../display/print.ts";
import { storePath } from "../files/store-path.ts";
import { StoreError } from "../store/errors.ts";
import type { Store } from "../store/store.ts";
import { sweepInterrupted } from "../store/sweep.ts";
import { given } from "../util/given.ts";
import { UsageError } from "./usage-error.ts";

export { storePath };

/** Where a command works: the folder that holds `baton.yaml` and `.baton/`. */
export interface Project {
  root: string;
  configPath?: string;
}

/** `--config` says it, and must name a file; else the nearest `baton.yaml`, or `.baton/` or a supervisor's file, from here upwards; else this folder. */
export function findProject(options: { config?: string }, cwd = process.cwd()): Project {
  const configPath = options.config ? resolve(cwd, options.config) : findConfig(cwd);
  if (options.config && configPath && !existsSync(configPath)) {
    throw new UsageError(
      `${configPath} (--config) does not exist. Check its path, or write one with \`baton init\`.`,
    );
  }
  if (configPath) return projectOf(configPath);
  const root = searched(cwd).find((folder) => hasStore({ root: folder }) || isSupervised(folder));
  return { root: root ?? cwd };
}

/** Of a configuration, whether it is there or not. */
export function projectOf(configPath: string): Project {
  return { root: dirname(configPath), configPath };
}

/** In the home folder the file is not a project's: it holds for all of them. */
function isSupervised(folder: string): boolean {
  return folder !== homedir() && existsSync(supervisorConfigPath(folder));
}

interface Wanted {
  /** How many bytes of it are read, where that must be quick. */
  most?: number;
  /** What the user chose for the job that it is for. */
  chosen?: Chosen;
}

/** YAML is only loaded where there is a file to read: one of the project's, or of the user's for all projects. */
export async function configOf(project: Project, { most, chosen }: Wanted = {}): Promise<Config> {
  const others = [userConfigPath(), supervisorConfigPath(), supervisorConfigPath(project.root)];
  if (!project.configPath && !others.some((path) => existsSync(path))) {
    return configWithoutFile(project.root, chosen);
  }
  const { loadConfigOf } = await import("../config/load.ts");
  return loadConfigOf(project, given({ most, chosen }));
}

/**
 * The database is only loaded where there is a use for it. Refuses a store that is not this machine's own, and makes one
 * where there is none.
 */
export async function openProjectStore(project: Project): Promise<Store> {
  const path = storePath(project.root);
  const [{ openStore }] = await Promise.all([import("../store/store.ts"), refuseForeign(project)]);
  return openStore(path);
}

async function refuseForeign({ root }: Project): Promise<void> {
  const path = storePath(root);
  const { foreignState, ForeignStateError } = await import("./foreign-state.ts");
  const foreign = await foreignState(path);
  if (foreign.length > 0) throw new ForeignStateError(path, foreign);
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
  const path = storePath(project.root);
  const { foreignNote, foreignState, ForeignStateError } = await import("./foreign-state.ts");
  const foreign = await foreignState(path);
  if (foreign.length === 0) return lookIntoOwnStore(project);
  // Behind a link may be anything.
  if (foreign.some(({ why }) => why === "link")) throw new ForeignStateError(path, foreign);
  const { openCopyToRead } = await import("../store/store.ts");
  printError(foreignNote(path, foreign));
  return openCopyToRead(path);
}

/** The same for commands that act on what they read: a path, a repository, a session. */
export async function lookIntoOwnStore(project: Project): Promise<Store> {
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
