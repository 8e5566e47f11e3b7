import { Command } from "commander";
import { version } from "../version.ts";
import { beginDeed, endDeed } from "./audited.ts";
import { CONFIG, collected, FOLDER, goToFolder, JSON_OUTPUT } from "./command.ts";
import { addCompletion } from "./completion/commands.ts";
import { addConfig, addInit } from "./config/commands.ts";
import { addFleet } from "./fleet/commands.ts";
import { addSchedules } from "./fleet/schedules-commands.ts";
import { addSeeing } from "./fleet/seeing-commands.ts";
import { addService } from "./fleet/service-commands.ts";
import { addContinue, addHandoffs } from "./handoffs/commands.ts";
import { addHelp, everywhere, examples, GLOBAL, layOutHelp, note } from "./help.ts";
import { addInbox } from "./inbox/commands.ts";
import { addInternal } from "./internal/commands.ts";
import { addJobs } from "./jobs/commands.ts";
import { addSteering } from "./jobs/steer/commands.ts";
import { addDemo, addSimulate } from "./jobs/trial-commands.ts";
import { addDoctor, addPlugin } from "./plugin/commands.ts";
import { addRecords } from "./records/commands.ts";
import { addHooks, addMcp, addSessions } from "./sessions/commands.ts";
import { addWeb } from "./web/commands.ts";
import { addWork } from "./work/commands.ts";
import { addWorktrees } from "./worktrees/commands.ts";

type Add = (baton: Command) => void;

/** In the order in which the help lists them. */
const GROUPS: Readonly<Record<string, readonly Add[]>> = {
  "Getting started:": [addInit, addDoctor, addDemo, addSimulate],
  "Jobs:": [addJobs, addSteering, addRecords],
  "Who needs you:": [addInbox],
  "Fleet:": [addFleet, addSeeing, addSchedules, addWork, addWeb, addService],
  "Handoffs:": [addHandoffs, addContinue],
  "Worktrees and checkpoints:": [addWorktrees],
  "Your own sessions:": [addSessions, addPlugin],
  "Configuration:": [addConfig, addCompletion],
};

/** What other programs call, and Baton itself. The help lists none of it. */
const HIDDEN: readonly Add[] = [addHelp, addMcp, addHooks, addInternal];

/** The commands. Each is loaded only when it is called, so that none pays for what another needs. */
export function program(): Command {
  const baton = new Command("baton")
    .usage("<command> [options]")
    .description("Runs coding agents on work longer than one context window.")
    .addOption(everywhere("-C <folder>", FOLDER).argParser(collected))
    .addOption(everywhere("--config <file>", CONFIG))
    .addOption(everywhere("--json", JSON_OUTPUT))
    .optionsGroup(GLOBAL)
    .version(version(), "-V, --version", "print the version")
    .hook("preAction", async (_baton, called) => {
      goToFolder(called);
      await beginDeed(called);
    })
    .hook("postAction", () => endDeed())
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  layOutHelp(baton);
  examples(
    baton,
    `  $ baton demo                          watch a job pass through three windows, with no account
  $ baton run "Make the tests pass"     run a job here
  $ baton run coder --prompt-file t.md  run it with an agent from baton.yaml
  $ baton resume 3k7                    continue a job, by the beginning of its id's last part`,
  );
  note(baton, EXIT_CODES);
  for (const [heading, adds] of Object.entries(GROUPS)) {
    baton.commandsGroup(heading);
    for (const add of adds) add(baton);
  }
  for (const add of HIDDEN) add(baton);
  return baton;
}

const EXIT_CODES =
  "Exit codes: 0 completed, 1 failed, 2 bad usage or configuration, 3 paused, 4 completed but calls were denied, 130 cancelled.";
