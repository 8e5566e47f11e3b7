import { Command, InvalidArgumentError } from "commander";
import { version } from "../version.ts";

/** The commands. Each is loaded only when it is called, so that none pays for what another needs. */
export function program(): Command {
  const baton = new Command("baton")
    .description("Runs coding agents on work longer than one context window.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .option("--config <file>", CONFIG)
    .option("--json", JSON_OUTPUT)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({
      subcommandTerm: (listed) => `${listed.name()} ${listed.usage()}`.replace(" [options]", ""),
    });
  examples(
    baton,
    `  $ baton demo                               watch a job pass through three windows, with no account
  $ baton run "Make the tests pass"          run a job here
  $ baton run coder --prompt-file task.md    run it with an agent from baton.yaml
  $ baton resume 3k7                         continue a job, by the beginning of its id's last part

Exit codes: 0 completed, 1 failed, 2 bad usage or configuration, 3 paused, 130 cancelled.`,
  );

  command(baton, "demo", "run the real agent on a scripted model, over three windows").action(async function (
    this: Command,
  ) {
    const { demo } = await import("./jobs/demo.ts");
    process.exitCode = await demo(this.optsWithGlobals());
  });

  const init = command(baton, "init", "write a commented baton.yaml")
    .option("--name <agent>", "name of the agent")
    .option("--model <model>", "its model")
    .option("--directory <folder>", "where it works")
    .option("--permission-mode <mode>", "what it may do without asking")
    .option("--force", "replace an existing baton.yaml")
    .action(async function (this: Command) {
      const { init } = await import("./config/init.ts");
      process.exitCode = await init(this.optsWithGlobals());
    });
  examples(
    init,
    `  $ baton init                                           asks for what you leave out
  $ baton init --name coder --permission-mode plan --json    asks nothing`,
  );

  const config = command(baton, "config", "check, show and describe the configuration");
  examples(
    config,
    `  $ baton config check                   what is wrong with it, all at once
  $ baton config show coder              every value of an agent, and where it was set
  $ baton config schema > schema.json    for an editor`,
  );
  command(config, "check [file]", "say what is wrong with the configuration, all at once").action(
    async function (this: Command, file: string | undefined) {
      const { configCheck } = await import("./config/check.ts");
      process.exitCode = await configCheck(file, this.optsWithGlobals());
    },
  );
  command(config, "show [agent]", "show every value in effect, and where it was set").action(async function (
    this: Command,
    agent: string | undefined,
  ) {
    const { configShow } = await import("./config/show.ts");
    process.exitCode = await configShow(agent, this.optsWithGlobals());
  });
  command(config, "schema", "print the JSON Schema of baton.yaml, for editors").action(async () => {
    const { printConfigSchema } = await import("./config/schema.ts");
    process.exitCode = await printConfigSchema();
  });

  const trust = command(baton, "trust", "allow the commands that came with this repository to run")
    .option("--list", "list what you trust")
    .option("--remove", "stop trusting this repository")
    .action(async function (this: Command) {
      const { trust } = await import("./config/trust.ts");
      process.exitCode = await trust(this.optsWithGlobals());
    });
  examples(
    trust,
    `  $ baton trust             once you have looked at the commands; when they change, you are asked again
  $ baton trust --list      every file that you trust
  $ baton trust --remove    take it back`,
  );

  const run = command(baton, "run [agent] [prompt]", "run a job until it ends")
    .option("--prompt-file <file>", "read the prompt from a file")
    .option("--epic <name>", "what the job belongs to: the handoffs of an epic are archived together")
    .option("--work-item <id>", "what it works on, such as an issue: its branch is named after it")
    .option("--title <text>", "the title of the work item")
    .option("--schedule <name>", "the schedule that starts it, for the name of its branch")
    .allowExcessArguments()
    .action(async function (this: Command) {
      const { run } = await import("./jobs/run.ts");
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
      const { chat } = await import("./jobs/chat.ts");
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
      const { resume } = await import("./jobs/resume.ts");
      process.exitCode = await resume(id, this.optsWithGlobals());
    },
  );

  command(baton, "cancel <job>", "end a job, whichever process runs it").action(async function (
    this: Command,
    id: string,
  ) {
    const { cancel } = await import("./jobs/cancel.ts");
    process.exitCode = await cancel(id, this.optsWithGlobals());
  });

  const goOn = command(baton, "continue <document> [agent]", "start a new job from a handoff document")
    .option("-y, --yes", "do not ask")
    .action(async function (this: Command, document: string, agent: string | undefined) {
      const { continueFrom } = await import("./jobs/continue.ts");
      process.exitCode = await continueFrom(document, agent, this.optsWithGlobals());
    });
  examples(
    goOn,
    `  $ baton continue .baton/handoffs/handoff-2026-01-21-143045.md
  $ baton continue notes.md coder --yes    any document with the same sections`,
  );

  const handoff = command(baton, "handoff [job]", "make a running job hand off at its next boundary")
    .option("--focus <text>", "what the handoff should focus on")
    .option("--cancel", "cancel a handoff that is being made")
    .action(async function (this: Command, id: string | undefined) {
      const { handoff } = await import("./handoffs/handoff.ts");
      process.exitCode = await handoff(id, this.optsWithGlobals());
    });
  examples(
    handoff,
    `  $ baton handoff 3k7 --focus "the failing test"    hand off now, and wait until that is done
  $ baton handoff 3k7 --cancel                      let the session continue instead
  $ baton handoff show 2 --job 3k7                  read a handoff document
  $ baton handoff archive 3k7                       archive the documents of a completed job`,
  );
  command(handoff, "show <number-or-path>", "show a handoff document")
    .option("--job <job>", "the job that the number belongs to (default: the newest that has handed off)")
    .action(async function (this: Command, which: string) {
      const { handoffShow } = await import("./handoffs/show.ts");
      process.exitCode = await handoffShow(which, this.optsWithGlobals());
    });
  const archive = command(
    handoff,
    "archive [job]",
    "archive the documents of a completed job, or the living one",
  )
    .option("--epic <name>", "those of all completed jobs in an epic")
    .option("--clean", "delete archived documents that are older than handoff.retention_days")
    .option("--agent <name>", "the agent whose living document or settings are meant (default: the first)")
    .action(async function (this: Command, id: string | undefined) {
      const { handoffArchive } = await import("./handoffs/archive.ts");
      process.exitCode = await handoffArchive(id, this.optsWithGlobals());
    });
  examples(
    archive,
    `  $ baton handoff archive                 the living document: it starts over from its template
  $ baton handoff archive 3k7             the documents of one job
  $ baton handoff archive --epic login    those of all completed jobs in an epic
  $ baton handoff archive --clean         what has been archived for long enough`,
  );

  command(
    baton,
    "handoffs [job]",
    "list the handoffs of a job, or of the newest jobs and your own sessions",
  ).action(async function (this: Command, id: string | undefined) {
    const { handoffs } = await import("./handoffs/handoffs.ts");
    process.exitCode = await handoffs(id, this.optsWithGlobals());
  });

  command(baton, "jobs", "list the jobs, newest first")
    .option("-n, --limit <count>", "how many", wholeNumber(1, Number.MAX_SAFE_INTEGER), 20)
    .action(async function (this: Command) {
      const { jobs } = await import("./jobs/jobs.ts");
      process.exitCode = await jobs(this.optsWithGlobals());
    });

  command(baton, "show <job>", "show a job: its sessions, handoffs, usage and result").action(async function (
    this: Command,
    id: string,
  ) {
    const { show } = await import("./jobs/show.ts");
    process.exitCode = await show(id, this.optsWithGlobals());
  });

  const logs = command(baton, "logs <job>", "print what happened in a job")
    .option("-f, --follow", "keep printing until the job ends")
    .action(async function (this: Command, id: string) {
      const { logs } = await import("./jobs/logs.ts");
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
    const { checkpoints } = await import("./jobs/checkpoints.ts");
    process.exitCode = await checkpoints(id, this.optsWithGlobals());
  });

  command(baton, "restore <job>", "write a checkpoint of a job into a new folder; by default the newest one")
    .argument("[number]", "which one", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .requiredOption("--to <folder>", "a folder that is empty or does not exist yet")
    .action(async function (this: Command, id: string, number: number | undefined) {
      const { restore } = await import("./jobs/checkpoints.ts");
      process.exitCode = await restore(id, number, this.optsWithGlobals());
    });

  command(baton, "worktrees", "list the worktrees and branches that jobs have, and why each is there").action(
    async function (this: Command) {
      const { worktrees } = await import("./jobs/worktrees.ts");
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
      const { maintain } = await import("./jobs/maintain.ts");
      process.exitCode = await maintain(this.optsWithGlobals());
    });
  examples(
    maintain,
    `  $ baton maintain --dry-run    what would go, what would stay, and why
  $ baton maintain              do it; a running job does this on its own, at its start and every few hours`,
  );

  command(
    baton,
    "status",
    "list your own sessions and the jobs here: how full they are, and what they are doing",
  ).action(async function (this: Command) {
    const { status } = await import("./sessions/status.ts");
    process.exitCode = await status(this.optsWithGlobals());
  });

  const watch = command(baton, "watch", "watch all your own sessions; silent when all is well")
    .option("--once", "look once, then exit")
    .option("--every <ms>", "how often to look", wholeNumber(100, MOST_MS), 5_000)
    .action(async function (this: Command) {
      const { watch } = await import("./sessions/watch.ts");
      process.exitCode = await watch(this.optsWithGlobals());
    });
  examples(
    watch,
    `  $ baton watch           until Ctrl-C; one is enough for all your projects
  $ baton watch --once    a single look, for cron`,
  );

  command(baton, "doctor", "say what is installed, what is missing, and how to fix it").action(
    async function (this: Command) {
      const { doctor } = await import("./plugin/doctor.ts");
      process.exitCode = await doctor(this.optsWithGlobals());
    },
  );

  command(
    baton,
    "mcp",
    "serve this project to an agent, over standard input and output: the plugin starts it",
  ).action(async function (this: Command) {
    const { mcp } = await import("./sessions/mcp.ts");
    process.exitCode = await mcp(this.optsWithGlobals(), version());
  });

  const install = command(
    baton,
    "install <program>",
    "put Baton's plugin into Claude Code: hooks, commands, an MCP server",
  )
    .option("--user", "for all your projects (default)")
    .option("--project", "for this project, and for you alone")
    .option("--statusline", "show Baton's status line as well")
    .action(async function (this: Command, program: string) {
      const { install } = await import("./plugin/install.ts");
      process.exitCode = await install(program, this.optsWithGlobals());
    });
  examples(
    install,
    `  $ baton install claude-code              in all your projects
  $ baton install claude-code --project    in this one`,
  );

  command(baton, "uninstall <program>", "remove the plugin, and leave everything else as it was")
    .option("--user", "for all your projects (default)")
    .option("--project", "for this project")
    .action(async function (this: Command, program: string) {
      const { uninstall } = await import("./plugin/install.ts");
      process.exitCode = await uninstall(program, this.optsWithGlobals());
    });

  command(
    baton,
    "hook <event>",
    "called by Claude Code through the plugin: something happened in a session",
  ).action(async (event: string) => {
    const { hook } = await import("./hook.ts");
    process.exitCode = await hook(event);
  });

  command(
    baton,
    "statusline",
    "print one line for Claude Code's status line: how full the window is, and the state of the handoff",
  ).action(async () => {
    const { statusline } = await import("./sessions/statusline.ts");
    process.exitCode = await statusline();
  });

  const internal = command(baton, "internal", "commands that hooks call from inside a job");
  command(
    internal,
    "handoff",
    "in a hook of on_context_threshold: make the built-in handoff, and print its document",
  ).action(async function (this: Command) {
    const { internalHandoff } = await import("./internal/handoff.ts");
    process.exitCode = await internalHandoff(this.optsWithGlobals());
  });

  command(
    internal,
    "cycle <session>",
    "after a session has stored its handoff: clear its pane or start the next one, and set it to work",
  )
    .option("--prompt-limit <ms>", "how long to wait for an empty prompt", wholeNumber(0, MOST_MS))
    .option("--take-up-limit <ms>", "how long the next session may take to begin", wholeNumber(0, MOST_MS))
    .action(async function (this: Command, id: string) {
      const { internalCycle } = await import("./internal/cycle.ts");
      process.exitCode = await internalCycle(id, this.optsWithGlobals());
    });
  command(internal, "launch <file>", "become the program that a file describes").action(async function (
    this: Command,
    file: string,
  ) {
    const { internalLaunch } = await import("./internal/launch.ts");
    process.exitCode = await internalLaunch(file);
  });

  const simulate = command(
    baton,
    "simulate [scenario] [command...]",
    "serve a scripted model to the real agent, at no cost",
  )
    .option("--port <port>", "listen on this port", wholeNumber(1, 65_535))
    .action(async function (this: Command) {
      const { simulate } = await import("./jobs/simulate.ts");
      process.exitCode = await simulate(this.args, this.optsWithGlobals());
    });
  examples(
    simulate,
    `  $ baton simulate                                   list the scenarios
  $ baton simulate steady                            serve one until Ctrl-C, and print what to set
  $ baton simulate steady -- baton run "Go"          try your configuration without paying
  $ baton simulate ./my-scenario.ts -- claude        with a scenario of your own`,
  );

  return baton;
}

const CONFIG = "the configuration (default: the nearest baton.yaml)";
const JSON_OUTPUT = "print JSON, for programs";
const MOST_MS = 2 ** 31 - 1;

/** `--config` and `--json` may stand before or after the command's name. */
function command(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option("--config <file>", CONFIG)
    .option("--json", JSON_OUTPUT);
}

function examples(of: Command, lines: string): void {
  of.addHelpText("after", `\nExamples:\n${lines}`);
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}
