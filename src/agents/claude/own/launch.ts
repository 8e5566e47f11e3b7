import { existsSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { procFile, procLink } from "../../../processes/proc.ts";
import { ownEnvironment } from "../../own-environment.ts";
import { claudeProgram } from "../program.ts";
import type { ProgramProcess } from "./program-process.ts";

/** How a program is started: all of it, with its environment, because a terminal's window has another one. */
export interface Launch {
  program: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** Options of Claude Code that say how a person wants to work. What says which session or which words is left out. */
const KEPT: Record<string, "alone" | "one value" | "values"> = {
  "--add-dir": "values",
  "--agent": "one value",
  "--allowed-tools": "values",
  "--allowedTools": "values",
  "--append-system-prompt": "one value",
  "--dangerously-skip-permissions": "alone",
  "--disallowed-tools": "values",
  "--disallowedTools": "values",
  "--effort": "one value",
  "--mcp-config": "values",
  "--model": "one value",
  "--permission-mode": "one value",
  "--plugin-dir": "one value",
  "--setting-sources": "one value",
  "--settings": "one value",
  "--strict-mcp-config": "alone",
  "--system-prompt": "one value",
};

/** Of the words that Claude Code was started with, those with which the next instance works in the same way. */
export function keptArguments(words: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") break;
    const [name = ""] = word.split("=", 1);
    const takes = KEPT[name];
    if (takes === undefined) continue;
    kept.push(word);
    if (takes === "alone" || word.includes("=")) continue;
    const next = words.slice(at + 1);
    const end = takes === "values" ? next.findIndex((value) => value.startsWith("-")) : 1;
    kept.push(...next.slice(0, end === -1 ? undefined : end));
  }
  return kept;
}

/** Another instance of what the session runs on, in its folder and with its environment, that begins with a prompt. */
export async function launchLike(
  session: { process: ProgramProcess | null; cwd: string },
  id: string,
  prompt: string,
): Promise<Launch | undefined> {
  const seen = await startedAs(session.process);
  const env = seen?.env ?? ownEnvironment();
  const program = seen?.program ?? inPath("claude", env) ?? claudeProgram();
  if (program === undefined) return undefined;
  const args = [...(seen?.args ?? []), "--session-id", id, "--", prompt];
  return { program, args, cwd: session.cwd, env };
}

/** Names that Claude Code gives to what it starts, and a terminal to what runs in it: they are another's. */
const NOT_FOR_THE_NEXT =
  /^(?:CLAUDECODE|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|SESSION_ID)|CLAUDE_SESSION_ID|TMUX|TMUX_PANE|TERM|PWD|OLDPWD|SHLVL|_)$/;

async function startedAs(
  process: ProgramProcess | null,
): Promise<{ program: string; args: string[]; env: Record<string, string> } | undefined> {
  if (process === null) return undefined;
  try {
    const program = procLink(process.pid, "exe");
    const [, ...words] = procFile(process.pid, "cmdline").split("\0").slice(0, -1);
    const script = /^(?:node|bun)/.test(basename(program)) ? words[0] : undefined;
    const entries = procFile(process.pid, "environ")
      .split("\0")
      .flatMap((entry) => {
        const at = entry.indexOf("=");
        const name = entry.slice(0, at);
        return at > 0 && !NOT_FOR_THE_NEXT.test(name) ? [[name, entry.slice(at + 1)]] : [];
      });
    return {
      program,
      args: [...(script ? [script] : []), ...keptArguments(script ? words.slice(1) : words)],
      env: Object.fromEntries(entries),
    };
  } catch {
    return undefined;
  }
}

function inPath(name: string, env: Record<string, string>): string | undefined {
  return (env.PATH ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(existsSync);
}
