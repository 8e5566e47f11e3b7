import { type Reloaded, reloadFleet } from "../../app/fleet/reload.ts";
import { findProject } from "../../app/project.ts";
import { shortPath } from "../../display/path.ts";
import { printJson, printWords } from "../../display/print.ts";
import { paintFor, printable } from "../../display/style.ts";
import { EXIT } from "../exit.ts";

export async function reload(options: { config?: string; json?: boolean }): Promise<number> {
  const projects = await reloadFleet(findProject(options));
  if (options.json) printJson({ projects });
  else for (const each of projects) printWords(inWords(each));
  return projects.some(({ outcome }) => outcome === "refused") ? EXIT.usage : EXIT.completed;
}

function inWords({ project, outcome, problem = "" }: Reloaded): string {
  const paint = paintFor(process.stdout, process.env);
  const whose = `The configuration of ${shortPath(project)}`;
  switch (outcome) {
    case "changed":
      return `${whose} was read again, and applies to everything that starts from now on.`;
    case "unchanged":
      return `${whose} is unchanged since the fleet last read it.`;
    case "refused":
      return paint(
        "red",
        `${whose} cannot be used, so the fleet keeps the one that it read before.\n${printable(problem)}`,
      );
  }
}
