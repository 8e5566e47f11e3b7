import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished, vi } from "vitest";
import { type Account, emptyAccount } from "../src/handoff/account.ts";
import { Registry } from "../src/sessions/record/registry.ts";
import { newSession, type OwnSession } from "../src/sessions/record/session.ts";
import { agreeIn } from "./agree.ts";
import { program } from "./harness.ts";
import { beginRepository } from "./repository.ts";

/** A project and a user's home, without an agent: its sessions are written by hand. */
export interface OwnProject {
  folder: string;
  handoffs: string;
  registry: Registry;
  env: Record<string, string>;
}

export async function ownProject(yaml = "agents: [{ name: coder }]\n"): Promise<OwnProject> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "baton-own-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(home, "project");
  await mkdir(folder);
  await writeFile(join(folder, "baton.yaml"), yaml);
  await beginRepository(folder);
  const state = join(home, "state");
  // What this process writes for the test is the same user's as what its `baton` writes.
  vi.stubEnv("XDG_STATE_HOME", state);
  const project: OwnProject = {
    folder,
    handoffs: join(folder, ".baton", "handoffs"),
    registry: new Registry(join(state, "baton", "sessions")),
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      XDG_STATE_HOME: state,
      CLAUDE_CONFIG_DIR: join(home, "claude"),
    },
  };
  agreeIn(project);
  return project;
}

/** Puts a session on record, as the hooks would, with a transcript of these entries. */
export async function registered(
  project: OwnProject,
  id: string,
  entries: object[] = conversation(project.folder),
  changes: Partial<OwnSession> = {},
): Promise<OwnSession> {
  const transcripts = join(project.env.CLAUDE_CONFIG_DIR ?? "", "projects", "-project");
  await mkdir(transcripts, { recursive: true });
  const transcript = join(transcripts, `${id}.jsonl`);
  await writeFile(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const now = new Date().toISOString();
  const session: OwnSession = newSession({
    id,
    cwd: project.folder,
    project: project.folder,
    transcript,
    startedAt: now,
    ...changes,
  });
  await project.registry.update(id, () => session);
  return session;
}

export function said(text: string): object {
  return { type: "user", message: { role: "user", content: text } };
}

let calls = 0;

/** A tool call and its result. */
export function called(name: string, input: object, output: string, failed = false): object[] {
  const id = `toolu_${++calls}`;
  const usage = { input_tokens: 10, cache_read_input_tokens: 90_000, output_tokens: 20 };
  const use = { type: "tool_use", id, name, input };
  const message = { id: `msg_${calls}`, model: "claude-sonnet-4-5", content: [use], usage };
  const result = { type: "tool_result", tool_use_id: id, content: output, is_error: failed };
  return [
    { type: "assistant", message },
    { type: "user", message: { role: "user", content: [result] } },
  ];
}

export const REQUEST = "Write notes.txt. Never touch baton.yaml.";

export function conversation(folder: string): object[] {
  const path = join(folder, "notes.txt");
  return [said(REQUEST), ...called("Write", { file_path: path, content: "one" }, `File created: ${path}`)];
}

/** What the tool submit_handoff takes; nothing is wrong with it after `conversation`. */
export function account(changes: Partial<Account> = {}): Record<string, unknown> {
  const good: Account = {
    ...emptyAccount(),
    goal: "Write notes.txt.",
    constraints: ["Never touch baton.yaml."],
    progress: { done: ["The first line"], inProgress: [], pending: ["The second line"] },
    currentState: "notes.txt holds its first line.",
    nextSteps: ["Write the second line."],
    filesChanged: [{ path: "notes.txt", change: "new" }],
    ...changes,
  };
  return {
    goal: good.goal,
    constraints: good.constraints,
    progress: {
      done: good.progress.done,
      in_progress: good.progress.inProgress,
      pending: good.progress.pending,
    },
    current_state: good.currentState,
    decisions: good.decisions,
    failed_attempts: good.failedAttempts,
    critical_context: good.criticalContext,
    open_issues: good.openIssues,
    next_steps: good.nextSteps,
    files_changed: good.filesChanged,
    active_subagents: good.activeSubagents,
    links: good.links,
    extra: good.extra,
  };
}

/** `baton mcp` as a process of its own, and the official client on it, for the session of this id. */
export async function mcpClient(
  project: Pick<OwnProject, "folder" | "env"> & { program?: string },
  session: string,
): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [project.program ?? program, "mcp"],
    cwd: project.folder,
    env: { ...project.env, CLAUDE_CODE_SESSION_ID: session },
    stderr: "inherit",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool and returns its typed result. Fails where the tool does. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(JSON.stringify(content));
  return structuredContent as Record<string, never>;
}

/** What a tool says that refuses. */
export async function refusal(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { isError, content } = await client.callTool({ name, arguments: args });
  if (!isError) throw new Error(`${name} did not refuse`);
  return (content as { text: string }[]).map(({ text }) => text).join("\n");
}

export async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8");
}
