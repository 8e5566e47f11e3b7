import type { Command } from "commander";
import { version } from "../../version.ts";
import { command, examples, MOST_MS, wholeNumber } from "../command.ts";

export function addSessions(baton: Command): void {
  const status = command(
    baton,
    "status [session]",
    "list your own sessions and jobs, and how full they are",
  ).action(async function (this: Command, session: string | undefined) {
    const { status } = await import("./status.ts");
    process.exitCode = await status(session, this.optsWithGlobals());
  });
  examples(
    status,
    `  $ baton status         sessions of all projects, jobs of this one
  $ baton status 3f2a    one session, by the beginning of its id, with its todos`,
  );

  const watch = command(baton, "watch", "watch all your own sessions; silent while all is well")
    .option("--once", "look once, then exit")
    .option("--every <ms>", "how often to look", wholeNumber(100, MOST_MS), 5_000)
    .action(async function (this: Command) {
      const { watch } = await import("./watch.ts");
      process.exitCode = await watch(this.optsWithGlobals());
    });
  examples(
    watch,
    `  $ baton watch           until Ctrl-C; one is enough for all your projects
  $ baton watch --once    a single look, for cron`,
  );
}

export function addMcp(baton: Command): void {
  command(
    baton,
    "mcp",
    "serve this project to an agent, over standard input and output: the plugin starts it",
    { hidden: true },
  ).action(async function (this: Command) {
    const { mcp } = await import("./mcp.ts");
    process.exitCode = await mcp(this.optsWithGlobals(), version());
  });
}

export function addHooks(baton: Command): void {
  command(
    baton,
    "hook <event>",
    "called by Claude Code through the plugin: something happened in a session",
    { hidden: true },
  ).action(async (event: string) => {
    const { hook } = await import("../hook.ts");
    process.exitCode = await hook(event);
  });

  command(
    baton,
    "statusline",
    "print one line for Claude Code's status line: how full the window is, and the state of the handoff",
    { hidden: true },
  ).action(async function (this: Command) {
    const { statusline } = await import("./statusline.ts");
    process.exitCode = await statusline(this.optsWithGlobals());
  });
}
