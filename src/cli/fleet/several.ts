import { basename } from "node:path";
import type { Command } from "commander";
import type { WantedProjects } from "../../app/fleet/projects.ts";
import type { Project } from "../../app/project.ts";
import { given } from "../../util/given.ts";

/** For `-C`, of a command that shows several projects. */
export const OF_EACH = "show the project of this folder; give it again for each project";

/** What can be said of the projects that are to be shown, as it is typed. */
export interface SeveralOptions {
  config?: string;
  all?: boolean;
  C?: string | string[];
}

export function withAll(of: Command): Command {
  return of.option("--all", "show all projects of your own file (projects: in ~/.config/baton/config.yaml)");
}

/** The project of this folder, those that are named with -C, or all of the user's own file. */
export async function projectsIn({ config, all, C: folders = [] }: SeveralOptions): Promise<Project[]> {
  const { wantedProjects } = await import("../../app/fleet/projects.ts");
  const wanted: WantedProjects = given({ config, all });
  return wantedProjects(Array.isArray(folders) && folders.length > 1 ? { ...wanted, folders } : wanted);
}

/** How each of them is called: by its folder, and by the one above it where two have the same. */
export function namesOf(projects: readonly Project[]): Map<string, string> {
  const names = Map.groupBy(projects, ({ root }) => basename(root));
  return new Map(
    projects.map(({ root }) => {
      const name = basename(root);
      const isAlone = (names.get(name) ?? []).length === 1;
      return [root, isAlone ? name : root.split("/").slice(-2).join("/")];
    }),
  );
}
