import { statfsSync, statSync } from "node:fs";
import { availableParallelism, hostname, loadavg, totalmem } from "node:os";
import { messageOf } from "../../util/errors.ts";
import { version } from "../../version.ts";
import { configOf, storePath } from "../project.ts";
import type { ServedProject } from "./projects.ts";

const STARTED_AT = new Date(Date.now() - performance.now());

/** The process that serves, and the room that it has. */
export function serverHere() {
  return {
    version: version(),
    node: process.version,
    host: hostname(),
    pid: process.pid,
    since: STARTED_AT.toISOString(),
    memory: { free: process.availableMemory(), total: totalmem() },
    load: { minute: loadavg()[0] ?? 0, processors: availableParallelism() },
  };
}

/** What a project takes, and by which rules it is tidied up. */
export async function roomOf({ key, name, project }: ServedProject) {
  const path = storePath(project.root);
  const disk = diskOf(project.root);
  const known = { project: key, name, root: project.root, store: { path, bytes: storeBytes(path) } };
  const room = { ...known, ...(disk && { disk }) };
  try {
    const { worktreeCleanup: trees, jobCleanup: jobs } = (await configOf(project)).maintenance;
    return {
      ...room,
      maintenance: {
        ...(trees.enabled && { worktreesEveryMs: trees.intervalMs }),
        worktreesKeptMs: trees.maxWorktreeAgeMs,
        ...(jobs.maxAgeMs !== undefined && { journalsKeptMs: jobs.maxAgeMs }),
      },
    };
  } catch (error) {
    return { ...room, problem: messageOf(error) };
  }
}

/** With what is not yet in the file itself. */
function storeBytes(path: string): number {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return ["", "-wal", "-shm"].reduce((sum, end) => sum + sizeOf(`${path}${end}`), 0);
}

function diskOf(folder: string): { free: number; total: number } | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined;
  }
}
