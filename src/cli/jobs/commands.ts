import type { Command } from "commander";
import { command, examples, wholeNumber } from "../command.ts";

export function addDemo(baton: Command): void {
  command(baton, "demo", "run the real agent on a scripted model, over three windows").action(async function (
    this: Command,
  ) {
    const { demo } = await import("./demo.ts");
    process.exitCode = await demo(this.optsWithGlobals());
  });
}

export function addJobs(baton: Command): void {
  const run = command(baton, "run [agent] [prompt]", "run a job until it ends")
    .option("--prompt-file <file>", "read the prompt from a file")
    .option("--epic <name>", "what the job belongs to: the handoffs of an epic are kept until you end it")
    .option("--work-item <id>", "what it works on, such as an issue: its branch is named after it")
    .option("--title <text>", "the title of the work item")
    .option("--schedule <name>", "the schedule that starts it, for the name of its branch")
    .allowExcessArguments()
    .action(async function (this: Command) {
      const { run } = await import("./run.ts");
      process.exitCode = await run(this.args, this.optsWithGlobals());
    });
  examples(
    run,
    `  $ baton run "Fix the failing tests"
  $ baton run coder "Fix the failing tests" --json    one event of the job on each line
  $ baton run coder "Do it" --work-item LIN-42 --title "Fix the login"
  $ git diff | baton run reviewer -                   the prompt from standard input
  $ baton run -- "-v prints nothing: fix it"         a prompt that begins with -`,
  );

  const chat = command(
    baton,
    "chat [agent]",
    "talk with an agent in this terminal, through as many windows as it takes",
  )
    .option("--resume <job>", "continue a chat that was cut off or cancelled")
    .action(async function (this: Command, agent: string | undefined) {
      const { chat } = await import("./chat.ts");
      process.exitCode = await chat(agent, this.optsWithGlobals());
    });
  examples(
    chat,
    `  $ baton chat                  with the first agent of baton.yaml
  $ baton chat reviewer         with another one
  $ baton chat --resume 3k7     continue a chat that was cut off`,
  );

  command(baton, "resume <job>", "continue a job that paused, failed, was cancelled or was cut off").action(
    async function (this: Command, id: string) {
      const { resume } = await import("./resume.ts");
      process.exitCode = await resume(id, this.optsWithGlobals());
    },
  );

  command(baton, "cancel <job>", "end a job, whichever process runs it").action(async function (
    this: Command,
    id: string,
  ) {
    const { cancel } = await import("./cancel.ts");
    process.exitCode = await cancel(id, this.optsWithGlobals());
  });

  const goOn = command(baton, "continue <document> [agent]", "start a new job from a handoff document")
    .option("-y, --yes", "do not ask")
    .action(async function (this: Command, document: string, agent: string | undefined) {
      const { continueFrom } = await import("./continue.ts");
      process.exitCode = await continueFrom(document, agent, this.optsWithGlobals());
    });
  examples(
    goOn,
    `  $ baton continue handoff-2026-01-21-143045.md    one in the folder of handoffs
  $ baton continue notes.md coder --yes            any document with the same sections`,
  );
}

export function addRecords(baton: Command): void {
  command(baton, "jobs", "list the jobs, newest first")
    .option("-n, --limit <count>", "how many", wholeNumber(1, Number.MAX_SAFE_INTEGER), 20)
    .action(async function (this: Command) {
      const { jobs } = await import("./jobs.ts");
      process.exitCode = await jobs(this.optsWithGlobals());
    });

  command(baton, "show <job>", "show a job: its sessions, handoffs, usage and result").action(async function (
    this: Command,
    id: string,
  ) {
    const { show } = await import("./show.ts");
    process.exitCode = await show(id, this.optsWithGlobals());
  });

  const logs = command(baton, "logs <job>", "print what happened in a job")
    .option("-f, --follow", "keep printing until the job ends")
    .action(async function (this: Command, id: string) {
      const { logs } = await import("./logs.ts");
      process.exitCode = await logs(id, this.optsWithGlobals());
    });
  examples(
    logs,
    `  $ baton logs -f 3k7             follow a job that another process runs
  $ baton logs 3k7 --json | jq    every event, as it stands in the journal`,
  );

  command(
    baton,
    "checkpoints <job>",
    "list the checkpoints of a job: its whole folder, as git keeps it",
  ).action(async function (this: Command, id: string) {
    const { checkpoints } = await import("./checkpoints.ts");
    process.exitCode = await checkpoints(id, this.optsWithGlobals());
  });

  command(baton, "restore <job>", "write a checkpoint of a job into a new folder; by default the newest one")
    .argument("[number]", "which one", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .requiredOption("--to <folder>", "a folder that is empty or does not exist yet")
    .action(async function (this: Command, id: string, number: number | undefined) {
      const { restore } = await import("./checkpoints.ts");
      process.exitCode = await restore(id, number, this.optsWithGlobals());
    });

  command(baton, "worktrees", "list the worktrees and branches that jobs have, and why each is there").action(
    async function (this: Command) {
      const { worktrees } = await import("./worktrees.ts");
      process.exitCode = await worktrees(this.optsWithGlobals());
    },
  );

  const maintain = command(
    baton,
    "maintain",
    "remove what finished and interrupted jobs left behind, where that is safe",
  )
    .option("--dry-run", "only say what would be done")
    .action(async function (this: Command) {
      const { maintain } = await import("./maintain.ts");
      process.exitCode = await maintain(this.optsWithGlobals());
    });
  examples(
    maintain,
    `  $ baton maintain --dry-run    what would go, what would stay, and why
  $ baton maintain              do it; a running job and baton watch do this on their own, every few hours`,
  );
}

export function addSimulate(baton: Command): void {
  const simulate = command(
    baton,
    "simulate [scenario] [command...]",
    "serve a scripted model to the real agent, at no cost",
  )
    .option("--port <port>", "listen on this port", wholeNumber(1, 65_535))
    .action(async function (this: Command) {
      const { simulate } = await import("./simulate.ts");
      process.exitCode = await simulate(this.args, this.optsWithGlobals());
    });
  examples(
    simulate,
    `  $ baton simulate                                   list the scenarios
  $ baton simulate steady                            serve one until Ctrl-C, and print what to set
  $ baton simulate steady -- baton run "Go"          try your configuration without paying
  $ baton simulate ./my-scenario.ts -- claude        with a scenario of your own`,
  );
}
