import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { EXIT, exitCodeOfError } from "./exit.ts";

/** Loads a command only when it is called, so that none pays for what another needs. */
export async function main(argv: string[]): Promise<void> {
  try {
    await program().parseAsync(argv);
  } catch (error) {
    process.exitCode = reported(error, argv);
  }
}

function program(): Command {
  const baton = new Command("baton")
    .description("Runs coding agents on work longer than one context window.")
    .version(version(), "-V, --version")
    .option("--config <file>", "the configuration (default: the nearest baton.yaml)")
    .option("--json", "print JSON, for programs")
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      "after",
      `
Exit codes: 0 completed, 1 failed, 2 bad usage or configuration, 3 paused, 130 cancelled.

Examples:
  $ baton demo                               watch a job pass through three windows, with no account
  $ baton run "Make the tests pass"          run a job here
  $ baton run coder --prompt-file task.md    run it with an agent from baton.yaml
  $ baton resume 3k7                         go on with a job, by the beginning of its id`,
    );

  command(baton, "demo", "run the real agent on a scripted model, over three windows").action(async function (
    this: Command,
  ) {
    const { demo } = await import("./demo.ts");
    process.exitCode = await demo(this.optsWithGlobals());
  });

  command(baton, "init", "write a commented baton.yaml")
    .option("--name <agent>", "name of the agent")
    .option("--model <model>", "its model")
    .option("--directory <folder>", "where it works")
    .option("--permission-mode <mode>", "what it may do without asking")
    .option("--force", "replace a baton.yaml that is there")
    .action(async function (this: Command) {
      const { init } = await import("./init.ts");
      process.exitCode = await init(this.optsWithGlobals());
    });

  command(baton, "run [agent] [prompt]", "run a job until it ends")
    .option("--prompt-file <file>", "read the prompt from a file; - as the prompt reads standard input")
    .addHelpText(
      "after",
      `
Examples:
  $ baton run "Fix the failing tests"
  $ baton run coder "Fix the failing tests" --json
  $ git diff | baton run reviewer -`,
    )
    .allowExcessArguments()
    .action(async function (this: Command) {
      const { run } = await import("./run.ts");
      process.exitCode = await run(this.args, this.optsWithGlobals());
    });

  command(baton, "resume <job>", "go on with a job that paused, failed, was cancelled or was cut off").action(
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

  command(baton, "jobs", "list the jobs, newest first")
    .option("-n, --limit <count>", "how many", positive, 20)
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

  command(baton, "logs <job>", "print what happened in a job")
    .option("-f, --follow", "go on until the job ends")
    .action(async function (this: Command, id: string) {
      const { logs } = await import("./logs.ts");
      process.exitCode = await logs(id, this.optsWithGlobals());
    });

  command(baton, "doctor", "say what is installed, what is missing, and how to mend it").action(
    async function (this: Command) {
      const { doctor } = await import("./doctor.ts");
      process.exitCode = await doctor(this.optsWithGlobals());
    },
  );

  command(baton, "simulate [scenario] [command...]", "serve a scripted model to the real agent, at no cost")
    .option("--port <port>", "listen on this port", positive)
    .addHelpText(
      "after",
      `
Without a command it serves until Ctrl-C and prints what to set. With one, it runs the command against the model.

Examples:
  $ baton simulate                                   list the scenarios
  $ baton simulate steady -- baton run "Go"          try your configuration without paying
  $ baton simulate ./my-scenario.ts -- claude        with a scenario of your own`,
    )
    .action(async function (this: Command) {
      const { simulate } = await import("./simulate.ts");
      process.exitCode = await simulate(this.args, this.optsWithGlobals());
    });

  return baton;
}

/** `--config` and `--json` may stand before or after the command's name. */
function command(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option("--config <file>", "the configuration (default: the nearest baton.yaml)")
    .option("--json", "print JSON, for programs");
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("It must be a whole number from 1.");
  return value;
}

function version(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}

function reported(error: unknown, argv: string[]): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
  const message = error instanceof Error ? error.message : String(error);
  if (argv.includes("--json")) console.log(JSON.stringify({ error: message }));
  else console.error(`baton: ${message}`);
  if (process.env.BATON_DEBUG && error instanceof Error) console.error(error.stack);
  return exitCodeOfError(error);
}
