import { configWithoutFile } from "../../config/without-file.ts";
import { halted } from "../../files/halt.ts";
import { countJobs } from "../../store/job-list.ts";
import { version } from "../../version.ts";
import { fleetView } from "../fleet/view.ts";
import { configOf } from "../project.ts";
import type { ServedProject } from "./projects.ts";

/** The fleet of each of these projects. */
export async function fleetOf(projects: readonly ServedProject[]) {
  const halt = halted();
  return {
    at: new Date().toISOString(),
    version: version(),
    ...(halt && { halted: halt }),
    projects: await Promise.all(projects.map(ofProject)),
  };
}

async function ofProject({ key, name, project, store }: ServedProject) {
  const config = await configOf(project).catch(() => configWithoutFile(project.root));
  const fleet = await fleetView({ project, config, store });
  const { projects: _, halted: __, paused = [], ...view } = fleet;
  return {
    ...{ key, name, root: project.root },
    ...view,
    isPaused: paused.some(({ agent }) => agent === null),
    counts: await countJobs(store),
  };
}
