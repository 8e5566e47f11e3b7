import { configWithoutFile } from "../../config/without-file.ts";
import { halted } from "../../files/halt.ts";
import { pausesIn } from "../../store/fleet/pauses.ts";
import { countJobs } from "../../store/job-list.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
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
    ...(halt && { halted: { since: halt.since } }),
    projects: await Promise.all(projects.map(ofProject)),
  };
}

async function ofProject({ key, name, project, store }: ServedProject) {
  const config = await configOf(project).catch(() => configWithoutFile(project.root));
  const { projects: _, ...view } = await fleetView({ project, config, store });
  return {
    ...{ key, name, root: project.root },
    ...view,
    isPaused: isPaused(project.root),
    counts: await countJobs(store),
  };
}

function isPaused(root: string): boolean {
  using state = lookIntoFleetState();
  return state ? pausesIn(state).some(({ project, agent }) => project === root && agent === null) : false;
}
