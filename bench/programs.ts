import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { claudeProgram } from "../src/agents/claude/program.ts";
import { packagedProgram } from "./package.ts";

export interface Place {
  folder: string;
  env: Record<string, string>;
}

export interface Program {
  command: string;
  args: string[];
}

class ProgramFailedError extends Error {
  override readonly name = "ProgramFailedError";

  constructor({ command, args }: Program, ending: string, printed: string) {
    super(`${[command, ...args].join(" ")} ended with ${ending}:\n${printed.slice(-2_000)}`);
  }
}

const batonProgram = await packagedProgram();

/** `baton` as a user starts it. */
export function baton(...args: string[]): Program {
  return { command: process.execPath, args: [batonProgram, ...args] };
}

/** The same Claude Code that Baton runs, headless and without Baton. */
export function headlessClaude(prompt: string): Program {
  const command = claudeProgram();
  if (command === undefined) throw new Error("Claude Code is not installed for this platform.");
  const output = ["--output-format", "stream-json", "--verbose"];
  const agent = ["--model", MODEL, "--permission-mode", PERMISSION_MODE];
  return { command, args: ["-p", prompt, ...output, ...agent] };
}

export const MODEL = "claude-sonnet-4-5";
export const PERMISSION_MODE = "bypassPermissions";

/** Runs a program to its end and returns what it printed. A failed run is no figure, so it is an error. */
export async function run(program: Program, { folder, env }: Place): Promise<string> {
  const child = spawn(program.command, program.args, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  if (code !== 0) throw new ProgramFailedError(program, signal ?? `code ${code}`, stdout + stderr);
  return stdout;
}

/** A shell that waits for the program, and then writes down what it took of the processors. */
const COUNTING = '"$@"; code=$?; times > "$0"; exit $code';

/** The same, with the processor time of the program and of all that it has waited for, in milliseconds. */
export async function runAndCount(
  { command, args }: Program,
  place: Place,
): Promise<{ printed: string; cpuMs: number }> {
  const folder = await mkdtemp(join(tmpdir(), "baton-bench-times-"));
  const file = join(folder, "times");
  try {
    const printed = await run({ command: "sh", args: ["-c", COUNTING, file, command, ...args] }, place);
    const [, ofChildren = ""] = (await readFile(file, "utf8")).split("\n");
    const parts = Array.from(
      ofChildren.matchAll(/(\d+)m([\d.]+)s/g),
      ([, minutes, seconds]) => Number(minutes) * 60_000 + Number(seconds) * 1_000,
    );
    return { printed, cpuMs: parts.reduce((sum, ms) => sum + ms, 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a program printed as one JSON value a line. */
export function jsonLines<T>(printed: string): T[] {
  return printed
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}
