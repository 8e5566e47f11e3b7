import { basename } from "node:path";
import { onPath } from "../../../processes/on-path.ts";
import { onLinux, procFile, procLink } from "../../../processes/proc.ts";
import { run } from "../../../processes/run.ts";
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

/** One of them, as it was written. */
interface Option {
  name: string;
  values: string[];
  words: string[];
}

/** Of the words that Claude Code was started with, the options with which the next instance works in the same way. */
export function keptOptions(words: readonly string[]): Option[] {
  const kept: Option[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") break;
    const [name = ""] = word.split("=", 1);
    const takes = KEPT[name];
    if (takes === undefined) continue;
    if (takes === "alone" || word.includes("=")) {
      kept.push({ name, values: takes === "alone" ? [] : [word.slice(name.length + 1)], words: [word] });
      continue;
    }
    const next = words.slice(at + 1);
    const end = takes === "values" ? next.findIndex((value) => value.startsWith("-")) : 1;
    const values = next.slice(0, end === -1 ? undefined : end);
    kept.push({ name, values, words: [word, ...values] });
  }
  return kept;
}

/** Another instance of what the session runs on, in its folder and with its environment, that begins with a prompt. */
export async function launchLike(
  session: { process: ProgramProcess | null; cwd: string },
  id: string,
  prompt: string,
): Promise<Launch | undefined> {
  const seen = startedWith(session.process);
  const env = seen?.env ?? ownEnvironment();
  const program = seen?.program ?? onPath("claude", env) ?? claudeProgram();
  if (program === undefined) return undefined;
  const kept = seen ? [...seen.script, ...seen.options.flatMap(({ words }) => words)] : [];
  return { program, args: [...kept, "--session-id", id, "--", prompt], cwd: session.cwd, env };
}

/** Names that Claude Code gives to what it starts, and a terminal to what runs in it: they are another's. */
const NOT_FOR_THE_NEXT =
  /^(?:CLAUDECODE|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|SESSION_ID)|CLAUDE_SESSION_ID|TMUX|TMUX_PANE|TERM|PWD|OLDPWD|SHLVL|_)$/;

interface StartedWith {
  program: string;
  /** Where the program only runs one. */
  script: string[];
  options: Option[];
  env: Record<string, string>;
}

/** How the program of a session was started. Undefined where it is gone, or the system does not tell. */
export function startedWith(process: ProgramProcess | null): StartedWith | undefined {
  if (process === null) return undefined;
  try {
    const program = procLink(process.pid, "exe");
    const [, ...words] = procFile(process.pid, "cmdline").split("\0").slice(0, -1);
    const script = /^(?:node|bun)/.test(basename(program)) ? words.slice(0, 1) : [];
    const entries = procFile(process.pid, "environ")
      .split("\0")
      .flatMap((entry) => {
        const at = entry.indexOf("=");
        const name = entry.slice(0, at);
        return at > 0 && !NOT_FOR_THE_NEXT.test(name) ? [[name, entry.slice(at + 1)]] : [];
      });
    return {
      program,
      script,
      options: keptOptions(words.slice(script.length)),
      env: Object.fromEntries(entries),
    };
  } catch {
    return undefined;
  }
}

/** Values of these can hold blanks, which a list of processes does not tell from those between two words. */
const WITH_BLANKS = /^--(?:(?:dis)?allowed-?tools|settings|add-dir)$/i;

/** The options alone, also where there is no /proc. */
export async function startOptions(process: ProgramProcess | null): Promise<Option[] | undefined> {
  if (onLinux || process === null) return startedWith(process)?.options;
  const { ok, stdout } = await run("ps", ["-ww", "-o", "args=", "-p", String(process.pid)]);
  const options = ok ? keptOptions(stdout.trim().split(/\s+/)) : undefined;
  return options?.some(({ name }) => WITH_BLANKS.test(name)) ? undefined : options;
}
