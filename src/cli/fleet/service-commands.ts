import type { Command } from "commander";
import { command, examples } from "../command.ts";
import { note } from "../help.ts";

export function addService(baton: Command): void {
  const service = command(baton, "service", "run the fleet as a system service, from when you sign in");
  examples(service, "  $ baton service install    for the project of this folder");
  const install = command(service, "install", "write a systemd or launchd service that runs the fleet", {
    folders: "run the project of this folder; give it again for each project",
  })
    .option("--all", "run all projects that your own file names")
    .option("--print", "print it, and write nothing")
    .action(async function (this: Command) {
      const { serviceInstall } = await import("./service.ts");
      process.exitCode = await serviceInstall(this.optsWithGlobals());
    });
  examples(
    install,
    `  $ baton service install                        for the project of this folder
  $ baton service install -C ~/site -C ~/shop    for two
  $ baton service install --all                  for those of projects: in your own file
  $ baton service install --print                look at it first`,
  );
  note(
    install,
    "It starts nothing: it prints what to type. API keys that agents need in their environment go into ~/.config/baton/environment, which systemd reads.",
  );
  const uninstall = command(service, "uninstall", "remove that service").action(async function (
    this: Command,
  ) {
    const { serviceUninstall } = await import("./service.ts");
    process.exitCode = serviceUninstall(this.optsWithGlobals());
  });
  examples(uninstall, "  $ baton service uninstall    only the file; baton stop ends a fleet that runs");
}
