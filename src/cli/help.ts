import { type Command, Help, Option } from "commander";
import { UsageError } from "../app/usage-error.ts";
import { coloured, onScreen } from "../display/style.ts";
import { wrapped } from "../display/width.ts";
import { nearest } from "../util/nearest.ts";

export const GLOBAL = "Global options:";

/** An option that every command has. They come last in its help. */
export function everywhere(flags: string, description: string): Option {
  return new Option(flags, description).helpGroup(GLOBAL);
}

/** How every command's help is laid out. A list of commands has their names alone: the help of each has its arguments. */
export function layOutHelp(baton: Command): void {
  baton.addHelpOption(everywhere("-h, --help", "print this help")).configureHelp({
    minWidthToWrap: 20,
    subcommandTerm: (command) => [command.name(), ...command.aliases()].join(", "),
    groupItems(unsorted, visible, groupOf) {
      const groups = Help.prototype.groupItems(unsorted, visible, groupOf);
      const last = groups.get(GLOBAL);
      if (!last || groups.size === 1) return groups;
      groups.delete(GLOBAL);
      return groups.set(GLOBAL, last);
    },
    styleTitle: bold,
  });
}

/** `baton help <command>`, which says what was meant where there is no such command. */
export function addHelp(baton: Command): void {
  baton
    .helpCommand(false)
    .command("help [command...]", { hidden: true })
    .description("print the help of a command")
    .action((words: string[]) => {
      let found = baton;
      for (const word of words) {
        const below = found.createHelp().visibleCommands(found);
        const next = found.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
        if (!next) throw unknownCommand(word, below);
        found = next;
      }
      found.outputHelp();
    });
}

/** What to refuse a word with that is no command. */
export function unknownCommand(word: string, known: readonly Command[]): UsageError {
  const meant = nearest(
    word,
    known.flatMap((command) => [command.name(), ...command.aliases()]),
  );
  return new UsageError(
    `unknown command '${word}'${meant === undefined ? "" : `\n(Did you mean ${meant}?)`}`,
  );
}

/** `lines`: one example each, `$ baton …`, with what it does after two spaces or more. */
export function examples(of: Command, lines: string): void {
  const all = lines.split("\n").map(example);
  of.addHelpText("after", ({ command }) => `\n${bold("Examples:")}\n${laidOut(all, widthFor(command))}`);
}

/** A paragraph below the help of a command. */
export function note(below: Command, text: string): void {
  below.addHelpText("after", ({ command }) => `\n${wrapped(text, widthFor(command)).join("\n")}`);
}

/** Where there are no colours, what prints the help removes it. */
function bold(title: string): string {
  return onScreen(coloured("bold", title));
}

function widthFor(command: Command): number {
  return command.configureOutput().getOutHelpWidth?.() ?? 80;
}

interface Example {
  line: string;
  does: string;
}

function example(line: string): Example {
  const [, command = "", does = ""] = /^\s*(\$ .*?)(?:\s{2,}(.*))?$/.exec(line) ?? [];
  return { line: command, does };
}

const INDENT = "  ";
const LEAST_BESIDE = 28;

/** What each does stands beside it, or below where the terminal is too narrow for that. */
function laidOut(all: readonly Example[], width: number): string {
  const beside = Math.max(...all.map(({ line }) => line.length)) + 2 * INDENT.length;
  const isWide = width - beside >= LEAST_BESIDE;
  const column = isWide ? beside : 3 * INDENT.length;
  return all
    .flatMap(({ line, does }) => {
      const command = `${INDENT}${line}`;
      if (does === "") return [command];
      const parts = wrapped(does, width - column);
      const rest = parts.map((part) => " ".repeat(column) + part);
      return isWide ? [`${command.padEnd(column)}${parts[0]}`, ...rest.slice(1)] : [command, ...rest];
    })
    .join("\n");
}
