import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { configOf, findProject, hasStore, openSwept, type Project } from "../project.ts";
import { passGate } from "../trust/gate.ts";
import { UsageError } from "../usage-error.ts";

/** A project whose jobs a fleet runs. */
export interface FleetProject {
  project: Project;
  config: Config;
  store: Store;
}

/** The folders that a fleet is wanted for, as they are typed; or all that the user's own file names. */
export interface WantedProjects {
  config?: string;
  folders?: readonly string[];
  all?: boolean;
}

/** Which projects a fleet is to run: those that are named, or that of this folder. */
export async function wantedProjects({
  config,
  folders = [],
  all = false,
}: WantedProjects): Promise<Project[]> {
  if (folders.length > 1 && config !== undefined) {
    throw new UsageError("--config names the configuration of one project. Leave it out, or all but one -C.");
  }
  if (all && folders.length > 0)
    throw new UsageError("--all runs the projects of your own file. Leave -C out.");
  if (folders.length > 1) return different(folders.map((folder) => projectIn(resolve(folder))));
  const here = findProject(config === undefined ? {} : { config });
  const isProject = here.configPath !== undefined || hasStore(here);
  if (!all && isProject) return [here];
  const { projects } = await configOf(here);
  if (projects.length > 0) return different(projects.map((folder) => projectIn(folder)));
  if (!all) return [here];
  throw new UsageError(
    "Your own file names no projects. Add them: projects: [~/code/site], or name their folders with -C.",
  );
}

function projectIn(folder: string): Project {
  try {
    return findProject({}, realpathSync(folder));
  } catch (error) {
    throw new UsageError(`${folder}: ${messageOf(error)}`);
  }
}

/** Two folders may be of one project. */
function different(projects: readonly Project[]): Project[] {
  return [...new Map(projects.map((project) => [project.root, project])).values()];
}

/** Nothing starts where there is something that nobody agreed to. Each job passes the gate again. */
export async function openProjects(
  wanted: readonly Project[],
  env?: Record<string, string>,
): Promise<FleetProject[]> {
  const projects: FleetProject[] = [];
  try {
    for (const project of wanted) {
      const config = await configOf(project);
      for (const agent of config.agents) passGate(config, agent);
      if (config.workSources.length > 0) {
        const { refuseHopelessWork } = await import("../work/check.ts");
        await refuseHopelessWork(config, env);
      }
      projects.push({ project, config, store: await openSwept(project) });
    }
    return projects;
  } catch (error) {
    await closeProjects(projects);
    throw error;
  }
}

export async function closeProjects(projects: readonly FleetProject[]): Promise<void> {
  await Promise.all(projects.map(({ store }) => store.close()));
}
