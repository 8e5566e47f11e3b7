import { stat } from "node:fs/promises";
import type { AgentConfig } from "../config/config.ts";
import { gitHead } from "../git/state.ts";
import {
  type Workspace,
  WorkspaceError,
  WorkspaceGone,
  type WorkspaceJob,
  type WorkspaceStrategy,
} from "./workspace.ts";
import { openRepository } from "./worktrees/repository.ts";

/** The configured folder, as it is. */
export function staticStrategy(
  config: Pick<AgentConfig, "workingDirectory" | "repository">,
): WorkspaceStrategy {
  return {
    async setup(job) {
      const path = job.before?.path ?? config.workingDirectory;
      if (!(await isFolder(path))) await bring(path, config, job);
      if (job.before) return { strategy: "static", path };
      return recorded(job, path);
    },
    teardown: async () => ({}),
  };
}

async function recorded(job: WorkspaceJob, path: string): Promise<Workspace> {
  const { branch, head } = await gitHead(path);
  const found = { path, ...(branch && { branch }), ...(head && { base: head }) };
  job.note({ type: "workspace:ready", strategy: "static", ...found });
  return { strategy: "static", ...found };
}

async function bring(
  path: string,
  config: Pick<AgentConfig, "workingDirectory" | "repository">,
  job: WorkspaceJob,
): Promise<void> {
  // A fresh clone in the place of a folder that was worked in would not have that work.
  if (job.before) throw new WorkspaceGone(path, job.id, "missing");
  if (config.repository.cloneFrom !== undefined) await openRepository(config, job.signal);
  if (await isFolder(path)) return;
  throw new WorkspaceError(
    `The job's folder ${path} does not exist.\nBring it back, or set working_directory in baton.yaml.`,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
