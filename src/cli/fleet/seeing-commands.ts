import type { Command } from "commander";
import { command, examples, wholeNumber } from "../command.ts";
import { since } from "../records/commands.ts";
import { OF_EACH, withAll } from "./several.ts";

export function addSeeing(baton: Command): void {
  const top = withAll(
    command(baton, "top", "watch all jobs on one screen, and act on them", { folders: OF_EACH }),
  ).action(async function (this: Command) {
    const { top } = await import("./top/top.ts");
    process.exitCode = await top(this.optsWithGlobals());
  });
  examples(
    top,
    `  $ baton top           until q; ↑↓ selects, Enter shows, a and d answer, c cancels, h hands off
  $ baton top --all     of all projects in your own file
  $ baton top | cat     one look, without a terminal
  $ baton top --json    the same for programs`,
  );

  const feed = withAll(
    command(baton, "feed", "print what happened in all jobs: starts, ends, handoffs, trouble", {
      folders: OF_EACH,
    }),
  )
    .option("--problems", "only what went wrong")
    .option("-f, --follow", "keep printing, until Ctrl-C")
    .option("-n, --limit <count>", "how many of the past", wholeNumber(1, Number.MAX_SAFE_INTEGER), 30)
    .option("--since <when>", "only what happened since: 2h, 3d, 2026-11-15, yesterday", since)
    .action(async function (this: Command) {
      const { feed } = await import("./feed.ts");
      process.exitCode = await feed(this.optsWithGlobals());
    });
  examples(
    feed,
    `  $ baton feed                        the newest thirty
  $ baton feed -f                     and what happens from now on
  $ baton feed --problems --since 8h  what went wrong in the night
  $ baton feed -f --all               of all projects in your own file
  $ baton feed -f --json | jq         one object to a line`,
  );
}
