import { resolve } from "node:path";
import type { LineRange, ToolAction } from "../../events.ts";
import { shellWords } from "./shell-words.ts";

/** What a command does that is known to do one thing only: Codex reads and searches with a shell. */
export function commandAction(command: string, cwd: string): ToolAction {
  const words = /[|&;<>$`\n]/.test(command) ? [] : shellWords(command);
  const [program = "", ...rest] = words;
  return readBy(program, rest, cwd) ?? searchBy(program, rest, cwd) ?? { kind: "command", command };
}

/** What a shell is given to run, without the shell. */
export function inShell(words: readonly string[]): string | undefined {
  const [shell = "", flag = "", script] = words;
  const isOne = words.length === 3 && /(?:^|\/)\w*sh$/.test(shell) && /^-l?c$/.test(flag);
  return isOne ? script : undefined;
}

function readBy(program: string, words: readonly string[], cwd: string): ToolAction | undefined {
  const path = words.at(-1);
  if (path === undefined || path.startsWith("-")) return undefined;
  const options = words.slice(0, -1).join(" ");
  const lines = linesIn(program, options);
  if (lines === undefined) return undefined;
  return { kind: "read", path: resolve(cwd, path), ...(lines && { lines }) };
}

/** `null`: the whole file. Undefined where it is not read, or not only. */
function linesIn(program: string, options: string): LineRange | null | undefined {
  if (program === "cat" && /^(?:-n)?$/.test(options)) return null;
  if (program === "nl" && /^(?:-ba)?$/.test(options)) return null;
  const [, from, to] = (program === "sed" && /^-n (\d+)(?:,(\d+|\$))?p$/.exec(options)) || [];
  if (from !== undefined && to === "$") return { from: Number(from) };
  if (from !== undefined) return { from: Number(from), to: Number(to ?? from) };
  const [, count] = (program === "head" && /^-(?:n ?)?(\d+)$/.exec(options)) || [];
  return count === undefined ? undefined : { from: 1, to: Number(count) };
}

function searchBy(program: string, words: readonly string[], cwd: string): ToolAction | undefined {
  if (program !== "rg" && program !== "grep") return undefined;
  const [pattern, path, ...more] = words.filter((word) => !/^-[a-zA-Z]+$/.test(word));
  if (pattern === undefined || pattern.startsWith("-") || more.length > 0) return undefined;
  return { kind: "search", pattern, ...(path !== undefined && { path: resolve(cwd, path) }) };
}
