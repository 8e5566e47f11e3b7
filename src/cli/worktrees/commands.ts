import type { Command } from "commander";
import { command, examples, wholeNumber } from "../command.ts";

export function addWorktrees(baton: Command): void {
  const worktrees = command(
    baton,
    "worktrees",
    "list the worktrees and branches of jobs, and why each is kept",
  ).action(async function (this: Command) {
    const { worktrees } = await import("./worktrees.ts");
    process.exitCode = await worktrees(this.optsWithGlobals());
  });
  examples(worktrees, "  $ baton worktrees    what is there, and what keeps it there");

  const checkpoints = command(
    baton,
    "checkpoints [job]",
    "list the checkpoints of a job: its whole folder, in git (default: of the newest)",
  ).action(async function (this: Command, id: string | undefined) {
    const { checkpoints } = await import("./checkpoints.ts");
    process.exitCode = await checkpoints(id, this.optsWithGlobals());
  });
  examples(checkpoints, "  $ baton checkpoints 3k7    each with its number, its time and its git ref");

  const restore = command(baton, "restore <job>", "write a checkpoint of a job into a new folder")
    .argument("[number]", "which one (default: the newest)", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .requiredOption("--to <folder>", "a folder that is empty or does not exist yet")
    .action(async function (this: Command, id: string, number: number | undefined) {
      const { restore } = await import("./checkpoints.ts");
      process.exitCode = await restore(id, number, this.optsWithGlobals());
    });
  examples(
    restore,
    `  $ baton restore 3k7 --to ../before      the newest one
  $ baton restore 3k7 2 --to ../before    the second`,
  );

  const maintain = command(baton, "maintain", "remove what jobs left behind, if that is safe")
    .option("--dry-run", "only say what would be done")
    .action(async function (this: Command) {
      const { maintain } = await import("./maintain.ts");
      process.exitCode = await maintain(this.optsWithGlobals());
    });
  examples(
    maintain,
    `  $ baton maintain --dry-run    what would go, what would stay, and why
  $ baton maintain              do it; running jobs and baton watch do the same every few hours`,
  );
}
