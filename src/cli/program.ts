import { Command } from "commander";
import { version } from "../version.ts";
import { CONFIG, examples, JSON_OUTPUT } from "./command.ts";
import { addConfig } from "./config/commands.ts";
import { addHandoffs } from "./handoffs/commands.ts";
import { addInternal } from "./internal/commands.ts";
import { addDemo, addJobs, addRecords, addSimulate } from "./jobs/commands.ts";
import { addDoctor, addPlugin } from "./plugin/commands.ts";
import { addHooks, addMcp, addSessions } from "./sessions/commands.ts";

/** In the order in which the help lists them. */
const COMMANDS: readonly ((baton: Command) => void)[] = [
  addDemo,
  addConfig,
  addJobs,
  addHandoffs,
  addRecords,
  addSessions,
  addDoctor,
  addMcp,
  addPlugin,
  addHooks,
  addInternal,
  addSimulate,
];

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

  for (const add of COMMANDS) add(baton);
  return baton;
}
