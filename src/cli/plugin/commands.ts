import type { Command } from "commander";
import { command, examples } from "../command.ts";

export function addDoctor(baton: Command): void {
  const doctor = command(baton, "doctor", "say what is installed, what is missing, and how to fix it").action(
    async function (this: Command) {
      const { doctor } = await import("./doctor.ts");
      process.exitCode = await doctor(this.optsWithGlobals());
    },
  );
  examples(doctor, "  $ baton doctor    exits with 1 when something would keep a job from running");
}

export function addPlugin(baton: Command): void {
  const install = command(baton, "install <program>", "install Baton's plugin in Claude Code")
    .option("--user", "for all your projects (default)")
    .option("--project", "for this project, only for you")
    .option("--statusline", "show Baton's status line as well")
    .action(async function (this: Command, program: string) {
      const { install } = await import("./install.ts");
      process.exitCode = await install(program, this.optsWithGlobals());
    });
  examples(
    install,
    `  $ baton install claude-code                 in all your projects
  $ baton install claude-code --project       in this one
  $ baton install claude-code --statusline    with the status line`,
  );

  const uninstall = command(
    baton,
    "uninstall <program>",
    "remove the plugin, and leave everything else as it was",
  )
    .option("--user", "for all your projects (default)")
    .option("--project", "for this project")
    .action(async function (this: Command, program: string) {
      const { uninstall } = await import("./install.ts");
      process.exitCode = await uninstall(program, this.optsWithGlobals());
    });
  examples(
    uninstall,
    `  $ baton uninstall claude-code              from all your projects
  $ baton uninstall claude-code --project    from this one`,
  );
}
