import { agentNamed } from "../../config/agent-named.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { isOfJob } from "../../processes/inside-job.ts";
import { ourSession } from "../../sessions/record/calling-session.ts";
import { type Registry, userRegistry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import type { Folders } from "../handoffs/inside.ts";
import { configOf, findProject } from "../project.ts";
import { UsageError } from "../usage-error.ts";

/** What a person's session is served by a process that its program started: one project, and itself. */
export interface Served {
  root: string;
  /** As the server was started: with a configuration of the user's choice, or none. */
  options: { config?: string };
  registry: Registry;
  env: Record<string, string>;
  /** As it is written now: people change it while a session runs. */
  config: () => Promise<Config>;
  /** Aborts when whoever started the server has gone. */
  signal: AbortSignal;
}

/** The project of this process's folder, for the session that started this process. */
export function servedHere(options: { config?: string }, signal: AbortSignal): Served {
  return {
    root: findProject(options).root,
    options,
    registry: userRegistry(),
    env: environment(),
    config: () => configOf(findProject(options)),
    signal,
  };
}

/** The process that runs a job watches its sessions, and has tools of its own for them. */
export function servesJob({ env }: Served): boolean {
  return isOfJob(env);
}

/** The session of a person's that calls; undefined where it is some other program. */
export async function ownSessionOf(served: Served): Promise<OwnSession | undefined> {
  const { registry, env, root } = served;
  return ourSession({ registry, env, pid: process.pid, cwd: process.cwd(), project: root });
}

/** The session that calls. Looked up at every call, because a cleared program keeps the same server. */
export async function callingSession(served: Served): Promise<OwnSession> {
  if (servesJob(served)) {
    throw new UsageError("This session belongs to a job, which has its own tools for handoffs.");
  }
  const session = await ownSessionOf(served);
  if (session) return session;
  throw new UsageError(
    "Baton cannot tell which session this is. Install Baton's plugin with `baton install claude-code` and start a new session; `baton doctor` says what is missing.",
  );
}

export async function agentOf({ config }: Served): Promise<AgentConfig> {
  return agentNamed(await config());
}

export async function foldersOf(served: Served): Promise<Folders> {
  return { root: served.root, handoffDir: (await agentOf(served)).handoff.dir };
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
