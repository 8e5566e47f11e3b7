import { tmpdir } from "node:os";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { program } from "../src/cli/program.ts";
import { widthOf } from "../src/display/width.ts";
import { objections } from "./command-lines.ts";
import { baton } from "./harness.ts";

const anywhere = { folder: tmpdir(), env: { PATH: process.env.PATH ?? "" } };
const NARROW = 60;

/** The help of a command on a terminal of that many columns, without colours. */
function helpOf(command: Command, columns = 80): string {
  let printed = "";
  command.configureOutput({
    writeOut: (text) => {
      printed += text;
    },
    getOutHelpWidth: () => columns,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return printed;
}

/** Those that the help lists, those within others too, by the words that call them. */
function listed(below: Command, words = "baton"): [string, Command][] {
  const names = new Set(below.createHelp().visibleCommands(below));
  return [...names].flatMap((command) => {
    const line = `${words} ${command.name()}`;
    return [[line, command] as [string, Command], ...listed(command, line)];
  });
}

it("lists the commands when it is told nothing", async () => {
  const { code, stdout, stderr } = await baton(anywhere, []);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Usage: baton");
  expect(stdout.replace(/\s+/g, " ")).toContain("3 paused, 4 completed but calls were denied, 130 cancelled");
});

it("has a group for each thing that people do, and lists nothing that only programs call", () => {
  const help = helpOf(program());
  const headings = [...help.matchAll(/^(\w[\w ]*):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    "Global options",
    "Getting started",
    "Jobs",
    "Who needs you",
    "Fleet",
    "Handoffs",
    "Worktrees and checkpoints",
    "Your own sessions",
    "Configuration",
    "Examples",
  ]);
  expect(help).not.toMatch(/^ {2}(?:hook|statusline|mcp|internal|help) /m);
});

it("fits a narrow terminal", () => {
  const lines = helpOf(program(), NARROW).split("\n");
  expect(lines.filter((line) => widthOf(line) > NARROW)).toEqual([]);
});

describe.each(listed(program()))("%s", (line, command) => {
  const help = helpOf(command, NARROW);

  it("says what it does, in lines that fit a narrow terminal", () => {
    const [usage, , description] = help.split("\n");
    expect(usage).toMatch(new RegExp(`^Usage: ${line}\\b`));
    expect(description).toMatch(/^\w.{10,}/);
    expect(help).toContain("--json");
    const words = help.split("\n").filter((line) => !line.startsWith("  $ "));
    expect(words.filter((line) => widthOf(line) > NARROW)).toEqual([]);
  });

  it("has examples that can be typed", () => {
    const typed = [...help.matchAll(/^ {2}\$ (?:.*\| )?(baton .*?)(?: {2,}.*)?$/gm)].map(
      ([, line = ""]) => line,
    );
    expect(typed.length).toBeGreaterThan(0);
    expect(typed.flatMap(objections)).toEqual([]);
  });
});

it.each(["run", "handoff"])("prints the same for help %s and with --help", async (command) => {
  const { code, stdout } = await baton(anywhere, ["help", command]);
  expect(code).toBe(0);
  expect((await baton(anywhere, [command, "--help"])).stdout).toBe(stdout);
});

it.each([
  [["rnu", "Go"], "unknown command 'rnu'\n(Did you mean run?)"],
  [["run", "--jsn"], "unknown option '--jsn'\n(Did you mean --json?)"],
  [["config", "chek"], "unknown command 'chek'\n(Did you mean check?)"],
  [["handoff", "shw", "2"], "unknown command 'shw'\n(Did you mean show?)"],
  [["help", "rnu"], "unknown command 'rnu'\n(Did you mean run?)"],
])("says what was meant by %s", async (words, said) => {
  const { code, stderr } = await baton(anywhere, words);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});
