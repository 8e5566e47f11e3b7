import { stat } from "node:fs/promises";
import type { AgentConfig } from "../config/config.ts";
import { gitHead } from "../git/state.ts";
import { enterFolder } from "./shared-folder.ts";
import {
  type Workspace,
  WorkspaceError,
  type WorkspaceEvent,
  WorkspaceGone,
  type WorkspaceJob,
  type WorkspaceRecord,
  type WorkspaceStrategy,
} from "./workspace.ts";
import { openRepository } from "./worktrees/repository.ts";

type StaticConfig = Pick<AgentConfig, "workingDirectory" | "repository" | "workspace">;

/** The configured folder, as it is. */
export function staticStrategy(config: StaticConfig): WorkspaceStrategy {
  let leave = () => {};
  return {
    async setup(job) {
      const path = job.before?.path ?? config.workingDirectory;
      if (!(await isFolder(path))) await bring(path, config, job);
      let hasWaited = false;
      leave = await enterFolder(job.id, path, {
        policy: config.workspace.onFolderBusy,
        signal: job.signal,
        warn: job.warn,
        async waits(behind, message) {
          hasWaited = true;
          await job.record({ type: "workspace:waiting", behind, message });
        },
      });
      if (!job.before) return recorded(job, path);
      if (hasWaited) job.note(readyAgain(job.before));
      return { strategy: "static", path };
    },
    teardown: async () => ({}),
    release: () => leave(),
  };
}

function readyAgain({ path, branch, base }: WorkspaceRecord): WorkspaceEvent {
  return {
    type: "workspace:ready",
    strategy: "static",
    path,
    ...(branch !== null && { branch }),
    ...(base !== null && { base }),
  };
}

async function recorded(job: WorkspaceJob, path: string): Promise<Workspace> {
  const { branch, head } = await gitHead(path);
  const found = { path, ...(branch && { branch }), ...(head && { base: head }) };
  job.note({ type: "workspace:ready", strategy: "static", ...found });
  return { strategy: "static", ...found };
}

async function bring(path: string, config: StaticConfig, job: WorkspaceJob): Promise<void> {
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
