import type { Command } from "commander";
import { command, examples } from "../command.ts";
import { note } from "../help.ts";

const SOURCE = ["--source <name>", "from this tracker, if the project has several"] as const;
const DRY_RUN = ["--dry-run", "only say what would be done"] as const;

export function addWork(baton: Command): void {
  const what = "list what would be taken from trackers, and why the rest would not";
  const list = async function (this: Command) {
    const { work } = await import("./work.ts");
    process.exitCode = await work(this.optsWithGlobals());
  };
  const work = command(baton, "work", what).action(list);
  examples(
    work,
    `  $ baton work               what would be taken, in which order, and why the rest would not
  $ baton work claim 17      have it worked on now
  $ baton work release 17    take it away from whoever has it
  $ baton work ignore 17     leave it alone`,
  );
  note(
    work,
    "While a fleet runs, the list shows what the fleet last saw. Otherwise Baton asks the trackers now, and claims nothing.",
  );
  examples(command(work, "list", what).action(list), "  $ baton work list    the same as baton work");
  const claim = command(work, "claim <item>", "have an agent work on an item, whatever its labels say")
    .option(...SOURCE)
    .option("--agent <name>", "with this agent, if several take such items")
    .option(...DRY_RUN)
    .action(async function (this: Command, item: string) {
      const { workClaim } = await import("./work.ts");
      process.exitCode = await workClaim(item, this.optsWithGlobals());
    });
  examples(
    claim,
    `  $ baton work claim 17                     it waits for a slot like any job
  $ baton work claim 17 --agent reviewer    by this agent
  $ baton work claim 17 --dry-run           only see which item that is`,
  );
  const release = command(
    work,
    "release <item>",
    "take an item away from whoever has it: it is ready again, and its attempts count from 0",
  )
    .option(...SOURCE)
    .option(...DRY_RUN)
    .action(async function (this: Command, item: string) {
      const { workRelease } = await import("./work.ts");
      process.exitCode = await workRelease(item, this.optsWithGlobals());
    });
  examples(
    release,
    `  $ baton work release 17              a job of it here is cancelled first
  $ baton work release 17 --dry-run    only see what that would end`,
  );
  const ignore = command(work, "ignore <item>", "never take an item, whatever its labels say")
    .option(...SOURCE)
    .option("--undo", "take it again")
    .option(...DRY_RUN)
    .action(async function (this: Command, item: string) {
      const { workIgnore } = await import("./work.ts");
      process.exitCode = await workIgnore(item, this.optsWithGlobals());
    });
  examples(
    ignore,
    `  $ baton work ignore 17           a job that works on it continues
  $ baton work ignore 17 --undo    its labels count again`,
  );
}
