import { statfsSync } from "node:fs";
import type { WaitReason } from "../../../fleet/admission.ts";
import { belowFloor } from "../../../fleet/floors.ts";
import type { Bar, BarContext } from "../bars.ts";
import type { FleetProject } from "../projects.ts";

/** The same as `DEFAULTS.fleet` says in words. */
const LEAST = { disk: 2 ** 30, memory: 256 * 2 ** 20 };

/** Nothing starts where the machine has no room for it. */
export function barOfFloors({ projects }: Pick<BarContext, "projects">): Bar {
  const memory = process.availableMemory();
  const reasons = new Map<string, WaitReason | undefined>(
    projects.map(({ project, config }) => {
      const { minFreeDisk: disk = LEAST.disk, minFreeMemory = LEAST.memory } = config.fleet;
      const free = { disks: disksOf({ project, config }), memory };
      return [project.root, belowFloor(free, { disk, memory: minFreeMemory })];
    }),
  );
  return ({ project }) => reasons.get(project);
}

/** Where its jobs write. A folder that is not there yet comes to be on the disk of the project. */
function disksOf({ project, config }: Pick<FleetProject, "project" | "config">) {
  const folders = new Set([
    project.root,
    ...config.agents.flatMap(({ workingDirectory, workspace }) => [workingDirectory, workspace.worktreeDir]),
  ]);
  return [...folders].flatMap((folder) => {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return [{ folder, free: bavail * bsize }];
    } catch {
      return [];
    }
  });
}
