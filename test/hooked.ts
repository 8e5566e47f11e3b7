import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { JournalEvent } from "../src/job/events.ts";
import { ofType, type ProjectOptions, program, type TestProject, testProject } from "./harness.ts";

const run = promisify(execFile);
export const RUN = ["run", "Write the files.", "--json"];

/** A project whose hooks its user trusts. */
export interface HookedProject extends TestProject {
  /** Where `records` keeps what hooks were told; they know it as `$SEEN`. */
  seen: string;
  /** First on the PATH: has `baton`, and what a test puts there. */
  bin: string;
}

/** `hooks` and `notify` are as in the configuration. */
export async function hookedProject(
  options: ProjectOptions & { hooks?: object; notify?: object },
): Promise<HookedProject> {
  const { hooks, notify, agent = "", ...rest } = options;
  const keys = [
    agent,
    ...(hooks ? [`hooks: ${JSON.stringify(hooks)}`] : []),
    ...(notify ? [`notify: ${JSON.stringify(notify)}`] : []),
  ];
  return withHooks(await testProject({ ...rest, agent: keys.filter(Boolean).join("\n") }));
}

/** With a place for what hooks see, and commands of theirs. */
export async function withHooks<P extends TestProject>(project: P): Promise<P & HookedProject> {
  const root = dirname(project.folder);
  const [seen, bin] = [join(root, "seen"), join(root, "bin")];
  await Promise.all([mkdir(seen), mkdir(bin)]);
  await writeCommand(bin, "baton", `exec '${process.execPath}' '${program}' "$@"`);
  const env = { ...project.env, SEEN: seen, PATH: `${bin}${delimiter}${project.env.PATH}` };
  return { ...project, env, seen, bin };
}

export async function writeCommand(folder: string, name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A hook that keeps its payload, then does the rest. */
export const records = (name: string, rest = "", keys: object = {}) => ({
  type: "shell",
  name,
  command: `cat >> "$SEEN/${name}"\n${rest}`,
  env: ["SEEN"],
  ...keys,
});

interface ToldSession {
  session_id: string;
  agent_name: string;
  job_id: string;
  working_directory: string;
  worktree_path?: string;
  branch_name?: string;
  is_continuation?: boolean;
  previous_session_id?: string;
  handoff_count?: number;
  document_path?: string;
}

/** A payload of any event, as far as tests look at it. */
export interface Told {
  hook_event_name: string;
  event?: string;
  trigger?: string;
  session: ToldSession;
  context: { input_tokens: number; context_window: number; usage_percent: number; model_name: string };
  prompt: string;
  original_prompt: string;
  handoff: { number: number; trigger: string; outcome: string; document_path: string };
  job: { id: string; status: string; sessions: number; handoffs: number; branch?: string; prompt: string };
  result: { success: boolean; output: string; error?: string };
}

/** What the hook of this name was told, each time that it was run. */
export async function told({ seen }: HookedProject, name: string): Promise<Told[]> {
  const text = await readFile(join(seen, name), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** A pipe that hooks know as `$SEEN/pipe`: whoever reads it waits until one of them writes to it. */
export async function pipeIn({ seen }: HookedProject): Promise<string> {
  const path = join(seen, "pipe");
  await run("mkfifo", [path]);
  return path;
}

/** The runs of hooks on record, as `point name`, in order. */
export function hookRuns(events: JournalEvent[]): string[] {
  return ofType(events, "hook").map(({ point, name }) => `${point} ${name}`);
}

/** The first message of each session, as the model got it. */
export function firstMessages({ simulator }: TestProject): string[] {
  const bySession = new Map<string, string>();
  for (const { request } of simulator.requests) {
    const { kind, sessionId = "", messages } = request;
    if (kind !== "main" || bySession.has(sessionId)) continue;
    bySession.set(sessionId, messages.find(({ role }) => role === "user")?.text ?? "");
  }
  return [...bySession.values()];
}
