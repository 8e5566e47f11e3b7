import type { Command } from "commander";
import { command, MOST_MS, wholeNumber } from "../command.ts";
import { addComplete } from "../completion/commands.ts";
import { withChoice } from "../jobs/chosen.ts";

export function addInternal(baton: Command): void {
  const internal = command(baton, "internal", "commands that hooks call from inside a job", { hidden: true });
  command(
    internal,
    "handoff",
    "in a hook of on_context_threshold: make the built-in handoff, and print its document",
  ).action(async function (this: Command) {
    const { internalHandoff } = await import("./handoff.ts");
    process.exitCode = await internalHandoff(this.optsWithGlobals());
  });

  command(
    internal,
    "cycle <session>",
    "after a session has stored its handoff: clear its pane or start the next one, and set it to work",
  )
    .option("--prompt-limit <ms>", "how long to wait for an empty prompt", wholeNumber(0, MOST_MS))
    .option("--hook-limit <ms>", "how long its hooks may take to run", wholeNumber(0, MOST_MS))
    .option("--take-up-limit <ms>", "how long the next session may take to begin", wholeNumber(0, MOST_MS))
    .action(async function (this: Command, id: string) {
      const { internalCycle } = await import("./cycle.ts");
      process.exitCode = await internalCycle(id, this.optsWithGlobals());
    });
  command(
    internal,
    "facts <session>",
    "write the document of a session from facts, without its agent",
  ).action(async function (this: Command, id: string) {
    const { internalFacts } = await import("./facts.ts");
    process.exitCode = await internalFacts(id, this.optsWithGlobals());
  });
  command(
    internal,
    "continue <session>",
    "continue a session that has stored its handoff as a job, with its model and permissions",
  ).action(async function (this: Command, id: string) {
    const { internalContinue } = await import("./continue.ts");
    process.exitCode = await internalContinue(id);
  });
  withChoice(command(internal, "run <job>", "run a job that is on record, without a terminal")).action(
    async function (this: Command, id: string) {
      const { internalRun } = await import("./run.ts");
      process.exitCode = await internalRun(id, this.optsWithGlobals());
    },
  );
  addComplete(internal, baton);
  command(internal, "launch <file>", "become the program that a file describes").action(async function (
    this: Command,
    file: string,
  ) {
    const { internalLaunch } = await import("./launch.ts");
    process.exitCode = await internalLaunch(file);
  });
}
