import { basename } from "node:path";
import { parentOf } from "../processes/ancestors.ts";
import { isOfJob } from "../processes/inside-job.ts";
import { onLinux, procFile, procLink } from "../processes/proc.ts";
import { run } from "../processes/run.ts";
import { isTraced } from "../processes/trace.ts";
import { MARKS_OF_A_SESSION } from "./own-environment.ts";

/** Programs that run agents, as their processes or their scripts are called. */
const PROGRAMS: ReadonlySet<string> = new Set([
  "aider",
  "amp",
  "claude",
  "codex",
  "copilot",
  "crush",
  "cursor-agent",
  "droid",
  "gemini",
  "goose",
  "opencode",
  "pi",
  "qwen",
]);

/** The packages of those that are scripts of another name, such as `cli.js`. */
const PACKAGES =
  /[/\\](?:claude-code|claude-agent-sdk[\w-]*|codex|gemini-cli|pi-coding-agent|opencode-ai|amp|copilot|qwen-code)[/\\](?:[^/\\]+[/\\]){0,3}[^/\\]+\.[cm]?js$/;

const INTERPRETERS = /^(?:node|nodejs|bun|deno|python[\d.]*)$/;
const DEEPEST = 64;

/** One process, as far as it can be seen. */
export interface SeenProcess {
  program: string;
  /** What it was started with, its own name first. */
  words: readonly string[];
  /** Of its environment. */
  names?: readonly string[];
}

/**
 * Why what this process asks may be answered by an agent and not by a person; undefined where nothing says so. A program
 * can clear its own environment, so whoever started it is looked at as well. It cannot be proved this way: an agent has the
 * user's rights, and can type into another terminal of theirs.
 */
export async function insideAgent(
  env: NodeJS.ProcessEnv = process.env,
  { pid = process.ppid, fromPs = !onLinux }: { pid?: number; fromPs?: boolean } = {},
): Promise<string | undefined> {
  if (isOfJob(env) || isTraced("self")) return "it was started in a job of Baton's";
  if (MARKS_OF_A_SESSION.some((name) => env[name])) return "it was started in a session of an agent";
  return agentAbove(pid, fromPs);
}

/** The same about another process: one that asks something of this one. */
export async function agentBehind(pid: number, fromPs = !onLinux): Promise<string | undefined> {
  return isTraced(pid) ? "it was started in a job of Baton's" : agentAbove(pid, fromPs);
}

/** From this process upwards. */
async function agentAbove(pid: number, fromPs: boolean): Promise<string | undefined> {
  for (let at: number | undefined = pid, depth = 0; at !== undefined && at > 1 && depth < DEEPEST; depth++) {
    const why = whyAgent((await (fromPs ? seenByPs(at) : seenInProc(at))) ?? { program: "", words: [] });
    if (why !== undefined) return `${why} (process ${at})`;
    at = await parentOf(at);
  }
  return undefined;
}

/** Whether a process is an agent's, or was started by one. */
export function whyAgent({ program, words, names = [] }: SeenProcess): string | undefined {
  if (isOfJob(Object.fromEntries(names.map((name) => [name, "1"]))))
    return "it was started in a job of Baton's";
  if (MARKS_OF_A_SESSION.some((name) => names.includes(name)))
    return "it was started in a session of an agent";
  const [first = "", ...others] = words;
  const script = INTERPRETERS.test(nameOf(program)) || INTERPRETERS.test(nameOf(first));
  const second = script ? others.find((word) => !word.startsWith("-")) : undefined;
  const found = [program, first, ...(second === undefined ? [] : [second])].find(
    (path) => PROGRAMS.has(nameOf(path)) || PACKAGES.test(path),
  );
  return found === undefined ? undefined : `it was started by an agent, ${nameOf(found)}`;
}

function nameOf(path: string): string {
  return basename(path.replaceAll("\\", "/"))
    .replace(/ \(deleted\)$/, "")
    .replace(/\.(?:[cm]?js|exe)$/, "")
    .toLowerCase();
}

function seenInProc(pid: number): SeenProcess {
  const names = tried(() => procFile(pid, "environ"))
    .split("\0")
    .map((entry) => entry.slice(0, Math.max(0, entry.indexOf("="))));
  const words = tried(() => procFile(pid, "cmdline"))
    .split("\0")
    .slice(0, -1);
  return {
    program: tried(() => procLink(pid, "exe")) || tried(() => procFile(pid, "comm")).trim(),
    words,
    names,
  };
}

async function seenByPs(pid: number): Promise<SeenProcess> {
  const { stdout } = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
  const words = stdout.trim().split(/\s+/);
  return { program: words[0] ?? "", words };
}

/** Another user's process hides what it is: it is not an agent of this user's. */
function tried(look: () => string): string {
  try {
    return look();
  } catch {
    return "";
  }
}
