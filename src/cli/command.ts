import { type Command, InvalidArgumentError } from "commander";
import { UsageError } from "../app/usage-error.ts";
import { everywhere } from "./help.ts";

export { examples } from "./help.ts";

export const CONFIG = "the configuration (default: the nearest baton.yaml)";
export const JSON_OUTPUT = "print JSON, for programs";
export const FOLDER = "run as if started in this folder";
export const MOST_MS = 2 ** 31 - 1;

interface Kind {
  /** The help does not list it. */
  hidden?: boolean;
  /** It takes `-C` several times, and what that means there. */
  folders?: string;
}

/** An option that can be given again. */
export function collected(word: string, before: string[] = []): string[] {
  return [...before, word];
}

/** `-C`, `--config` and `--json` may stand before or after the command's name. */
export function command(
  parent: Command,
  nameAndArguments: string,
  description: string,
  { hidden = false, folders }: Kind = {},
): Command {
  return parent
    .command(nameAndArguments, { hidden })
    .description(description)
    .addOption(
      folders === undefined
        ? everywhere("-C <folder>", FOLDER)
        : everywhere("-C <folder>", folders).argParser(collected),
    )
    .helpCommand(false)
    .addOption(everywhere("--config <file>", CONFIG))
    .addOption(everywhere("--json", JSON_OUTPUT));
}

/** As `git -C` does: of several, one within the other. Who shows or runs several projects goes into none of them. */
export function goToFolder(called: Command): void {
  const folders = foldersOf(called);
  if (folders.length > 1 && takesSeveral(called)) return;
  for (const folder of folders) {
    try {
      process.chdir(folder);
    } catch {
      throw new UsageError(`-C ${folder}: this folder does not exist, or cannot be entered.`);
    }
  }
}

/** Before or after the command's name. */
function foldersOf(called: Command): string[] {
  const { C: given = [] } = called.opts<{ C?: string | string[] }>();
  return [...(called.parent ? foldersOf(called.parent) : []), ...[given].flat()];
}

function takesSeveral({ options }: Command): boolean {
  return options.some(({ short, parseArg }) => short === "-C" && parseArg === collected);
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}
