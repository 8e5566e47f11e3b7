import type { Argument, Command, Option } from "commander";
import { JOB_STATUSES } from "../../app/records/narrowed.ts";
import type { JobStatus } from "../../job/job.ts";
import { GLOBAL } from "../help.ts";

/** A word that can stand where the cursor is, and what it means. */
export interface Candidate {
  word: string;
  does: string;
}

type Values =
  | { kind: "words"; words: Candidate[] }
  | { kind: "jobs"; statuses?: readonly JobStatus[] }
  | { kind: "agents" | "scenarios" | "files" | "folders" };

/** What can stand where the cursor is. */
export interface Wanted {
  /** What of the word is there already. */
  typed: string;
  /** What a shell takes for a part of the same word, and stands before it. */
  lead: string;
  values: Values[];
  /** What `--config` and `-C` name on the same line. */
  config?: string;
  folder?: string;
}

/** `words`: those of the line after `baton`, up to the one at the cursor, which may be empty. */
export function wanted(baton: Command, words: readonly string[]): Wanted {
  const typed = words.at(-1) ?? "";
  const line = read(baton, words.slice(0, -1));
  const found = {
    typed,
    lead: "",
    ...(line.config !== undefined && { config: line.config }),
    ...(line.folder !== undefined && { folder: line.folder }),
  };
  if (line.open && takes(line.open, typed))
    return { ...found, values: valuesOf(line.command, placeholder(line.open), line.open) };
  if (line.ended) return { ...found, values: [] };
  const [, flag = "", value = ""] = /^(--[\w-]+=)(.*)$/.exec(typed) ?? [];
  const option = flag === "" ? undefined : optionOf(line.command, flag.slice(0, -1));
  if (option) {
    const values = valuesOf(line.command, placeholder(option), option);
    return { ...found, typed: value, lead: flag, values };
  }
  if (typed.startsWith("-")) return { ...found, values: [optionsLeft(line)] };
  return { ...found, values: positional(baton, line) };
}

/** What the words before the cursor come to. */
interface Line {
  command: Command;
  /** Of the command, without the options. */
  arguments: number;
  given: Set<Option>;
  /** An option whose value comes next. */
  open?: Option;
  /** By `--`: what follows is no option, and no command. */
  ended: boolean;
  config?: string;
  folder?: string;
}

function read(baton: Command, words: readonly string[]): Line {
  const line: Line = { command: baton, arguments: 0, given: new Set(), ended: false };
  for (const word of words) {
    if (line.ended || word === "--") line.ended = true;
    else if (word === "=") continue;
    else if (line.open && takes(line.open, word)) close(line, line.open, word);
    else if (word.startsWith("-")) readOption(line, word);
    else readArgument(line, word);
  }
  return line;
}

function readOption(line: Line, word: string): void {
  const [flag = "", value] = word.split("=", 2);
  const option = optionOf(line.command, flag);
  if (!option) return;
  line.given.add(option);
  delete line.open;
  if (!option.required && !option.optional) return;
  if (value === undefined) line.open = option;
  else close(line, option, value);
}

/** Whether a word is the value of the option before it. */
function takes({ required }: Option, word: string): boolean {
  return required || !word.startsWith("-");
}

function close(line: Line, option: Option, value: string): void {
  if (option.long === "--config") line.config = value;
  if (option.short === "-C") line.folder = value;
  delete line.open;
}

function readArgument(line: Line, word: string): void {
  const below = line.arguments === 0 ? line.command.commands.find((one) => answersTo(one, word)) : undefined;
  if (below) line.command = below;
  else line.arguments++;
}

function answersTo(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}

function optionOf(command: Command, flag: string): Option | undefined {
  return visibleOptions(command).find(({ long, short }) => long === flag || short === flag);
}

function visibleOptions(command: Command): Option[] {
  return command.createHelp().visibleOptions(command);
}

function optionsLeft({ command, given }: Line): Values {
  const left = visibleOptions(command).filter((option) => !given.has(option) || option.variadic);
  // Its own first.
  left.sort((a, b) => Number(a.helpGroupHeading === GLOBAL) - Number(b.helpGroupHeading === GLOBAL));
  const words = left.map(({ long, short, description }) => ({
    word: long ?? short ?? "",
    does: description,
  }));
  return { kind: "words", words };
}

function positional(baton: Command, { command, arguments: count }: Line): Values[] {
  const all = command.registeredArguments;
  const argument = all[count] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  const below = count === 0 ? commandsIn(command) : [];
  const ofHelp = command.name() === "help" ? commandsIn(baton) : [];
  const words = [...below, ...ofHelp];
  return [
    ...(words.length > 0 ? [{ kind: "words" as const, words }] : []),
    ...(argument ? valuesOf(command, argument.name(), argument) : []),
  ];
}

function commandsIn(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((below) => ({ word: below.name(), does: below.description() }));
}

/** What an option calls its value: `job` of `--resume <job>`. */
function placeholder({ flags }: Option): string {
  return /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";
}

/** Which values are meant is in the name that the help has for them. */
function valuesOf(command: Command, name: string, { argChoices }: Pick<Argument, "argChoices">): Values[] {
  if (argChoices) return [{ kind: "words", words: argChoices.map((word) => ({ word, does: "" })) }];
  switch (name) {
    case "job": {
      const statuses = JOBS_FOR[command.name()];
      return [{ kind: "jobs", ...(statuses && { statuses }) }];
    }
    case "status":
      return [{ kind: "words", words: JOB_STATUSES.map((word) => ({ word, does: "" })) }];
    case "agent":
      return [{ kind: "agents" }];
    case "scenario":
      return [{ kind: "scenarios" }, { kind: "files" }];
    case "file":
    case "document":
    case "number-or-document":
      return [{ kind: "files" }];
    case "folder":
      return [{ kind: "folders" }];
    case "program":
      return [{ kind: "words", words: [{ word: "claude-code", does: "Claude Code" }] }];
    default:
      return [];
  }
}

const STOPPED = ["paused", "failed", "cancelled", "interrupted"] as const;

/** Which jobs a command can do something with; every other takes any. */
const JOBS_FOR: Readonly<Record<string, readonly JobStatus[]>> = {
  resume: ["queued", ...STOPPED],
  chat: STOPPED,
  attach: ["created", "queued", "running", "waiting"],
  forget: ["completed", ...STOPPED],
  send: ["created", "queued", "running", "waiting", ...STOPPED],
  pause: ["queued", "running", "waiting"],
  cancel: ["created", "queued", "running", "waiting", "paused", "interrupted"],
};
