import { wantedProjects } from "../../app/fleet/projects.ts";
import { installService, serviceFor, uninstallService } from "../../app/fleet/service.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { agreeFirst } from "../config/agree.ts";
import { EXIT } from "../exit.ts";
import type { StartOptions } from "./start.ts";

interface InstallOptions extends StartOptions {
  print?: boolean;
}

export async function serviceInstall(options: InstallOptions): Promise<number> {
  const { all, json = false, C: folders = [] } = options;
  const several = Array.isArray(folders) && folders.length > 1;
  const projects = await wantedProjects({ ...(all && { all }), ...(several && { folders }) });
  for (const project of projects) await agreeFirst(project, options);
  const service = serviceFor(all ? [] : projects);
  if (!options.print) await installService(service);
  if (json) printJson(service);
  else if (options.print) print(service.text.trimEnd());
  else
    printWords(
      [
        `Written: ${shortPath(service.path)}`,
        `  start it now, and whenever you sign in   ${service.start}`,
        `  end it                                   ${service.stop}`,
        ...(service.kind === "systemd"
          ? ["  also while you are signed out            loginctl enable-linger"]
          : []),
      ].join("\n"),
    );
  return EXIT.completed;
}

export function serviceUninstall({ json = false }: { json?: boolean }): number {
  const removed = uninstallService();
  if (json) printJson({ removed });
  else
    printWords(
      [
        ...removed.map((path) => `Removed: ${shortPath(path)}`),
        "End a fleet that runs with: baton stop",
      ].join("\n"),
    );
  return EXIT.completed;
}
