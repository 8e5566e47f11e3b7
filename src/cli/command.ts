import { type Command, InvalidArgumentError } from "commander";

export const CONFIG = "the configuration (default: the nearest baton.yaml)";
export const JSON_OUTPUT = "print JSON, for programs";
export const MOST_MS = 2 ** 31 - 1;

/** `--config` and `--json` may stand before or after the command's name. */
export function command(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option("--config <file>", CONFIG)
    .option("--json", JSON_OUTPUT);
}

export function examples(of: Command, lines: string): void {
  of.addHelpText("after", `\nExamples:\n${lines}`);
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}
