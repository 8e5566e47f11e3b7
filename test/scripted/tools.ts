import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface ToolResult {
  ok: boolean;
  text: string;
}

export type Input = Record<string, unknown>;

/** What the program can do by itself, and whether a careful permission mode lets it. */
export const TOOLS: readonly { name: string; isSafe: boolean; edits: boolean }[] = [
  { name: "Agent", isSafe: true, edits: false },
  { name: "Bash", isSafe: false, edits: false },
  { name: "Edit", isSafe: false, edits: true },
  { name: "Read", isSafe: true, edits: false },
  { name: "Write", isSafe: false, edits: true },
];

const running = new Set<Promise<unknown>>();
const ending = new AbortController();

/** Resolves when no command runs any more. */
export async function endCommands(): Promise<void> {
  ending.abort();
  await Promise.all(running);
}

/** In a session of its own, as Claude Code runs it: killing the agent leaves the command running. */
export function bash(command: string, interrupted: AbortSignal): Promise<ToolResult> {
  const result = run(command, AbortSignal.any([interrupted, ending.signal]));
  running.add(result);
  return result.finally(() => running.delete(result));
}

function run(command: string, signal: AbortSignal): Promise<ToolResult> {
  const child = spawn("bash", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => pieces.push(piece));
  }
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  };
  signal.addEventListener("abort", end, { once: true });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ ok: false, text: error.message }));
    child.once("close", (code) => {
      signal.removeEventListener("abort", end);
      const output = pieces.join("").replace(/\n+$/, "");
      if (signal.aborted) resolve({ ok: false, text: "[Request interrupted by user for tool use]" });
      else if (code === 0) resolve({ ok: true, text: output });
      else resolve({ ok: false, text: `Exit code ${code}\n${output}` });
    });
  });
}

export function fileTool(name: string, input: Input): ToolResult {
  try {
    return { ok: true, text: done(name, input) };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

function done(name: string, input: Input): string {
  const path = String(input.file_path);
  switch (name) {
    case "Read":
      return readFileSync(path, "utf8")
        .split("\n")
        .map((line, index) => `${index + 1}\t${line}`)
        .join("\n");
    case "Write": {
      const isNew = !existsSync(path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, String(input.content));
      return isNew ? `File created successfully at: ${path}` : `The file ${path} has been updated.`;
    }
    case "Edit": {
      const before = readFileSync(path, "utf8");
      if (!before.includes(String(input.old_string))) throw new Error("String to replace not found in file.");
      writeFileSync(
        path,
        before.replace(String(input.old_string), () => String(input.new_string)),
      );
      return `The file ${path} has been updated.`;
    }
    default:
      throw new Error(`No such tool available: ${name}`);
  }
}
