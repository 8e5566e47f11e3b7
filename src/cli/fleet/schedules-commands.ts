import { type Command, InvalidArgumentError } from "commander";
import { untilIn } from "../../app/records/narrowed.ts";
import { command, examples, wholeNumber } from "../command.ts";
import { OF_EACH, withAll } from "./several.ts";

export function addSchedules(baton: Command): void {
  const schedules = command(baton, "schedules", "list the schedules, and when each runs next").action(
    async function (this: Command) {
      const { schedules } = await import("./schedules.ts");
      process.exitCode = await schedules(this.optsWithGlobals());
    },
  );
  examples(
    schedules,
    `  $ baton schedules                          all of them, with the outcome of the last run
  $ baton schedules next                     upcoming runs, in order
  $ baton schedules history                  the outcome of every due time
  $ baton schedules run coder nightly        queue a run of it now
  $ baton schedules pause coder nightly      skip its runs until baton schedules resume`,
  );
  const next = command(schedules, "next", "list upcoming runs, soonest first")
    .option("-n, --limit <n>", "how many", wholeNumber(1, 1_000), 10)
    .action(async function (this: Command) {
      const { schedulesNext } = await import("./schedules.ts");
      process.exitCode = await schedulesNext(this.optsWithGlobals());
    });
  examples(next, "  $ baton schedules next -n 30    the next thirty");
  const history = command(
    schedules,
    "history [agent] [name]",
    "list the outcome of every due time, newest first",
  )
    .option("-n, --limit <n>", "how many", wholeNumber(1, 10_000), 30)
    .action(async function (this: Command, agent: string | undefined, name: string | undefined) {
      const { schedulesHistory } = await import("./schedules.ts");
      process.exitCode = await schedulesHistory({ agent, name }, this.optsWithGlobals());
    });
  examples(
    history,
    `  $ baton schedules history                  of all schedules
  $ baton schedules history coder nightly    of one`,
  );
  const run = command(schedules, "run <agent> <name>", "queue a run of a schedule now").action(
    async function (this: Command, agent: string, name: string) {
      const { schedulesRun } = await import("./schedules.ts");
      process.exitCode = await schedulesRun(agent, name, this.optsWithGlobals());
    },
  );
  examples(run, "  $ baton schedules run coder nightly    its next due time stays as it is");
  for (const [word, does] of [
    ["pause", "skip the runs of a schedule until it is resumed"],
    ["resume", "let a paused schedule run again"],
  ] as const) {
    const one = command(schedules, `${word} <agent> <name>`, does);
    if (word === "pause")
      one.option("--until <when>", "let it run again by itself: 8h, 18:00, tomorrow, 2026-11-20", until);
    one.action(async function (this: Command, agent: string, name: string) {
      const { schedulesPause } = await import("./schedules.ts");
      process.exitCode = await schedulesPause(agent, name, word === "pause", this.optsWithGlobals());
    });
    examples(one, EXAMPLES[word]);
  }

  const plan = withAll(
    command(baton, "plan", "forecast the next 24 hours: runs, slots and expected cost", {
      folders: OF_EACH,
    }),
  ).action(async function (this: Command) {
    const { plan } = await import("./plan.ts");
    process.exitCode = await plan(this.optsWithGlobals());
  });
  examples(
    plan,
    `  $ baton plan                      what will run when, and what it will probably cost
  $ baton plan -C ~/site -C ~/shop  of two projects, which share the slots
  $ baton plan --all                of those of projects: in your own file`,
  );
}

const EXAMPLES = {
  pause: `  $ baton schedules pause coder nightly                     until baton schedules resume
  $ baton schedules pause coder nightly --until tomorrow    or until then`,
  resume: "  $ baton schedules resume coder nightly",
};

function until(text: string): Date {
  const found = untilIn(text, new Date());
  if (found) return found;
  throw new InvalidArgumentError(
    "It must be for how long, such as 8h, or a moment, such as 18:00, tomorrow or 2026-11-20.",
  );
}
