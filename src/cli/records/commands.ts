import { type Command, InvalidArgumentError, Option } from "commander";
import type { CostsBy } from "../../app/cost/by.ts";
import { JOB_STATUSES, SHORTEST_TEXT, sinceIn, statusesIn } from "../../app/records/narrowed.ts";
import type { JobStatus } from "../../job/job.ts";
import { command, examples, wholeNumber } from "../command.ts";
import { OF_EACH, withAll } from "../fleet/several.ts";

const COSTS_BY: CostsBy[] = ["day", "agent", "job", "model"];

export function addRecords(baton: Command): void {
  const jobs = listing(command(baton, "jobs", "list the jobs, newest first").alias("ls"))
    .option("--status <status>", `only jobs with this status: ${JOB_STATUSES.join(", ")}`, statuses)
    .option("--text <text>", "only jobs whose request contains this", textToFind)
    .option("--file <path>", "only jobs whose agent wrote a file with this in its path")
    .action(async function (this: Command) {
      const { jobs } = await import("./jobs.ts");
      process.exitCode = await jobs(this.optsWithGlobals());
    });
  examples(
    jobs,
    `  $ baton jobs                          the newest twenty
  $ baton jobs -n 100                   more of them
  $ baton jobs --status failed,paused   those that need you
  $ baton jobs --agent coder --since 2d  jobs of one agent in the last two days
  $ baton jobs --since 2026-11-15       those since a day
  $ baton jobs --text login             those whose request contains a text
  $ baton jobs --file src/login.ts      those whose agent wrote a file`,
  );

  const ps = listing(command(baton, "ps", "list the jobs that are running")).action(async function (
    this: Command,
  ) {
    const { jobs } = await import("./jobs.ts");
    const none = "No job is running here.";
    process.exitCode = await jobs({ ...this.optsWithGlobals(), status: ["running", "waiting"], none });
  });
  examples(ps, "  $ baton ps    the same as baton jobs --status running,waiting");

  const show = command(
    baton,
    "show [job]",
    "show a job: its sessions, handoffs, usage and result (default: the newest)",
  )
    .option("--why", "only why it is what it is: the two or three events behind its status")
    .action(async function (this: Command, id: string | undefined) {
      const { show } = await import("./show.ts");
      process.exitCode = await show(id, this.optsWithGlobals());
    });
  examples(
    show,
    `  $ baton show               the newest job
  $ baton show 3k7
  $ baton show 3k7 --why     why it is paused, waits, failed or is done
  $ baton show 3k7 --json    the same for programs, with keys that stay`,
  );

  const logs = command(baton, "logs [job]", "print what happened in a job (default: in the newest)")
    .option("-f, --follow", "keep printing until the job ends")
    .action(async function (this: Command, id: string | undefined) {
      const { logs } = await import("./logs.ts");
      process.exitCode = await logs(id, this.optsWithGlobals());
    });
  examples(
    logs,
    `  $ baton logs -f                 follow the newest job
  $ baton logs -f 3k7             follow a job that another process runs
  $ baton logs 3k7 --json | jq    every event, as it is in the journal`,
  );

  const diff = command(baton, "diff [job]", "show what a job changed (default: the newest)")
    .argument("[checkpoint]", "up to this checkpoint", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option("--stat", "only list the files, with lines added and removed")
    .action(async function (this: Command, id: string | undefined, checkpoint: number | undefined) {
      const { diff } = await import("./diff.ts");
      process.exitCode = await diff(id, checkpoint, this.optsWithGlobals());
    });
  examples(
    diff,
    `  $ baton diff                    the newest job
  $ baton diff 3k7 --stat         the files, and how many lines
  $ baton diff 3k7 2              up to its second checkpoint
  $ baton diff 3k7 > work.patch   for git apply`,
  );

  const exporting = command(
    baton,
    "export [job]",
    "export a job as one file to share: relay, transcript, changes and cost (default: the newest)",
  )
    .requiredOption("--html", "as a page that needs no script and no network; secrets are withheld")
    .option("-o, --output <file>", "where to (default: the name of the job, in this folder)")
    .action(async function (this: Command, id: string | undefined) {
      const { exportJob } = await import("./export.ts");
      process.exitCode = await exportJob(id, this.optsWithGlobals());
    });
  examples(
    exporting,
    `  $ baton export --html                      the newest job
  $ baton export 3k7 --html -o review.html   another, under a name of your own`,
  );

  const open = command(
    baton,
    "open [job]",
    "open the pull request or the folder of a job (default: the newest)",
  )
    .option("--folder", "open the folder even if there is a pull request")
    .option("--print", "print the address or path instead of opening it")
    .action(async function (this: Command, id: string | undefined) {
      const { open } = await import("./open.ts");
      process.exitCode = await open(id, this.optsWithGlobals());
    });
  examples(
    open,
    `  $ baton open 3k7
  $ cd "$(baton open 3k7 --folder)"    go to where it works`,
  );

  const forget = command(baton, "forget <job...>", "remove the records of finished jobs; asks first")
    .alias("rm")
    .option("-y, --yes", "do not ask")
    .action(async function (this: Command, names: string[]) {
      const { forget } = await import("./forget.ts");
      process.exitCode = await forget(names, this.optsWithGlobals());
    });
  examples(
    forget,
    `  $ baton forget 3k7         its journal goes; documents, checkpoints and branches stay
  $ baton rm 3k7 9dw --yes   two of them, without a question`,
  );

  const replay = command(
    baton,
    "replay [job-or-transcript...]",
    "play past jobs under other thresholds: handoffs, tokens, cost and time",
  )
    .option(
      "--at <thresholds>",
      "thresholds as in session.context_threshold, separated by commas (default: 0.1 to 0.5, economical)",
    )
    .action(async function (this: Command, names: string[]) {
      const { replay } = await import("./replay.ts");
      process.exitCode = await replay(names, this.optsWithGlobals());
    });
  examples(
    replay,
    `  $ baton replay                                  the newest jobs of the project
  $ baton replay 3k7 --at 0.1,0.3,economical      one job
  $ baton replay path/to/a/transcript               of any session of Claude Code`,
  );

  const time = withAll(
    command(baton, "time", "show where the time of the jobs went: model, tools, slots, limits, you", {
      folders: OF_EACH,
    }),
  )
    .option("--agent <agent>", "only jobs of this agent")
    .option("--since <when>", "only jobs started since: 2h, 3d, 2026-11-15 (default: 7d)", since)
    .action(async function (this: Command) {
      const { time } = await import("./time.ts");
      process.exitCode = await time(this.optsWithGlobals());
    });
  examples(
    time,
    `  $ baton time                    of the last seven days
  $ baton time --since yesterday
  $ baton time --agent coder      of one agent
  $ baton show 3k7                of one job: "spent on"`,
  );

  const cost = withAll(command(baton, "cost", "show what the jobs have cost, by agent", { folders: OF_EACH }))
    .addOption(
      new Option(
        "--by <what>",
        "what was spent on each day, by each agent, in each job or on each model",
      ).choices(COSTS_BY),
    )
    .option("--since <when>", "with --by: only what was spent since: 2h, 3d, 2026-11-15, yesterday", since)
    .option("-n, --limit <count>", "with --by: how many rows", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option("--ramp-up", "what new sessions spent before their first new work, and what they repeated")
    .action(async function (this: Command) {
      const { cost } = await import("./cost.ts");
      process.exitCode = await cost(this.optsWithGlobals());
    });
  examples(
    cost,
    `  $ baton cost
  $ baton cost --by day --since 7d    the last week
  $ baton cost --by model    which model costs how much
  $ baton cost --ramp-up     how good its handoffs are
  $ baton cost -C ~/site -C ~/shop    of two projects
  $ baton cost --json | jq   all of it, for programs`,
  );
}

function listing(command: Command): Command {
  return command
    .option("-n, --limit <count>", "how many", wholeNumber(1, Number.MAX_SAFE_INTEGER), 20)
    .option("--agent <agent>", "only jobs of this agent")
    .option("--since <when>", "only jobs started since: 2h, 3d, 2026-11-15, yesterday", since);
}

/** With commas between, or given more than once. */
function statuses(text: string, before: JobStatus[] = []): JobStatus[] {
  const found = statusesIn(text);
  if ("statuses" in found) return [...before, ...found.statuses];
  const hint = found.meant === undefined ? "" : ` Did you mean ${found.meant}?`;
  const known = `It must be one of ${JOB_STATUSES.join(", ")}.`;
  throw new InvalidArgumentError(`There is no status "${found.wrong}".${hint} ${known}`);
}

function textToFind(text: string): string {
  if ([...text].length >= SHORTEST_TEXT) return text;
  throw new InvalidArgumentError(`It must have at least ${SHORTEST_TEXT} characters.`);
}

export function since(text: string): Date {
  const found = sinceIn(text, new Date());
  if (found) return found;
  throw new InvalidArgumentError(
    "It must be how long ago, such as 2h or 3d, or a day, such as 2026-11-15 or yesterday.",
  );
}
