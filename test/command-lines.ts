import type { Command } from "commander";
import { program } from "../src/cli/program.ts";

/** What is wrong with a command line, if anything. */
export function objections(line: string): string[] {
  const [name = "", ...words] = line
    .replace(/"[^"]*"/g, "…")
    .split(/\s+/)
    .slice(1);
  const baton = program();
  const found = name.startsWith("-") ? baton : baton.commands.find((known) => answersTo(known, name));
  if (!found) return [`${line}: there is no command ${name}`];
  const command = found.commands.find((known) => answersTo(known, words[0])) ?? found;
  const end = words.indexOf("--");
  const options = [name, ...words.slice(0, end === -1 ? undefined : end)].filter((word) =>
    /^--?\w/.test(word),
  );
  return options
    .filter((option) => !knows(command, option))
    .map((option) => `${line}: there is no option ${option}`);
}

function knows(command: Command, option: string): boolean {
  return command
    .createHelp()
    .visibleOptions(command)
    .some(({ short, long }) => option === short || option === long);
}

function answersTo(command: Command, name: string | undefined): boolean {
  return name !== undefined && [command.name(), ...command.aliases()].includes(name);
}
