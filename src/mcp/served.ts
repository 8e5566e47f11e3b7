import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { agentNamed } from "../config/agent-named.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { isOfJob } from "../processes/inside-job.ts";
import { ourSession } from "../sessions/record/calling-session.ts";
import type { Registry } from "../sessions/record/registry.ts";
import type { OwnSession } from "../sessions/record/session.ts";
import { type Folders, RefusedError } from "./inside.ts";

/** What the tools work on: one project, and the session that this server was started by. */
export interface Served {
  root: string;
  registry: Registry;
  env: Record<string, string>;
  /** As it is written now: people change it while a session runs. */
  config: () => Promise<Config>;
  /** Aborts when whoever started the server has gone. */
  signal: AbortSignal;
}

export type AddTools = (server: McpServer, served: Served) => void;

/** The session that calls. Looked up at every call, because a cleared program keeps the same server. */
export async function callingSession({ registry, env, root }: Served): Promise<OwnSession> {
  if (isOfJob(env)) {
    throw new RefusedError(
      "This session belongs to a job, which asks for its handoff with tools of its own.",
    );
  }
  const where = { registry, env, pid: process.pid, cwd: process.cwd(), project: root };
  const session = await ourSession(where);
  if (session) return session;
  throw new RefusedError(
    "It is not known which session this is. Install Baton's plugin with `baton install claude-code` and start a new session; `baton doctor` says what is missing.",
  );
}

export async function agentOf({ config }: Served): Promise<AgentConfig> {
  return agentNamed(await config());
}

export async function foldersOf(served: Served): Promise<Folders> {
  return { root: served.root, handoffDir: (await agentOf(served)).handoff.dir };
}

/** A typed result. Programs that show it to a model as it is show the values alone, so they must say everything. */
export function result<T extends Record<string, unknown>>(values: T) {
  return {
    content: [{ type: "text" as const, text: JSON.stringify(values) }],
    structuredContent: values,
  };
}
