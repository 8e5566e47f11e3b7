import { CommanderError } from "commander";
import { printError, printJson } from "../display/print.ts";
import { messageOf } from "../util/errors.ts";
import { endDeed } from "./audited.ts";
import { EXIT, exitCodeOfError } from "./exit.ts";
import { program } from "./program.ts";

export async function main(argv: string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignoreClosedPipe);
  const baton = program();
  try {
    if (argv.length === 2) baton.outputHelp();
    else await baton.parseAsync(argv);
  } catch (error) {
    await endDeed(error);
    process.exitCode = reported(error, argv);
  }
}

/** Who has read enough, as `head` does, closes the pipe. That is no failure. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") throw error;
}

function reported(error: unknown, argv: string[]): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.completed;
  const message = complaint(error);
  if (wantsJson(argv)) printJson({ error: message });
  else printError(`baton: ${message}`);
  if (process.env.BATON_DEBUG && error instanceof Error) printError(error.stack ?? "");
  return error instanceof CommanderError ? EXIT.usage : exitCodeOfError(error);
}

function complaint(error: unknown): string {
  if (error instanceof CommanderError && error.code === "commander.help")
    return "Name a command. `baton --help` lists them.";
  const message = messageOf(error);
  return error instanceof CommanderError ? message.replace(/^error: /, "") : message;
}

/** What stands after `--` is not meant for Baton. */
function wantsJson(argv: string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(2, end === -1 ? undefined : end).includes("--json");
}
