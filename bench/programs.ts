import { spawn } from "node:child_process";
import { once } from "node:events";
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

/** What a program printed as one JSON value a line. */
export function jsonLines<T>(printed: string): T[] {
  return printed
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}
