import { randomUUID } from "node:crypto";
import type { Agent, AgentSession } from "../../agents/agent.ts";
import type { Permit } from "../../agents/permission.ts";
import { repositoryAccess } from "../../agents/repository.ts";
import type { McpServer } from "../../config/config.ts";
import { notAgreedTo } from "../../config/trust/named-files.ts";
import { AccountInbox } from "../../handoff/account-inbox.ts";
import { startGuard } from "../../processes/guard.ts";
import { type Mark, sessionMark } from "../../processes/marks.ts";
import { given } from "../../util/given.ts";
import { type JobSetting, sessionSpec } from "./spec.ts";

/** A session whose program is starting up. It can do nothing before it is told something, and that is recorded first. */
export interface Prestarted {
  session: AgentSession;
  /** On everything that runs for it. */
  mark: Mark;
  inbox: AccountInbox;
  /** What it does without, of all that came with the repository. */
  leftOut: readonly string[];
  /** Of one that was started before there was anybody to ask: from now on these are. It asks nothing before it is told something. */
  askBy?: (permit: Permit) => void;
}

/** The same for a job that is not there yet. `asks`: somebody will be there to be asked. */
export async function prestartAlone(agent: Agent, setting: JobSetting, asks: boolean): Promise<Prestarted> {
  if (!asks) return prestart(agent, setting);
  const later = Promise.withResolvers<Permit>();
  const permit: Permit = async (question, signal) => (await later.promise)(question, signal);
  const prestarted = await prestart(agent, { ...setting, person: { permit, allowed: [] } });
  return { ...prestarted, askBy: later.resolve };
}

/** Starts the program of a new session ahead of its turn. Whoever starts it closes it, used or not. */
export async function prestart(agent: Agent, setting: JobSetting): Promise<Prestarted> {
  startGuard();
  return startSession(agent, setting, { sessionId: randomUUID(), resume: false });
}

/** Every session is started here, with what the user trusts of the repository as it stands in this moment. */
export async function startSession(
  agent: Agent,
  setting: JobSetting,
  which: { sessionId: string; resume: boolean },
): Promise<Prestarted> {
  const repository = await repositoryAccess(agent, setting.cwd);
  const { servers, leftOut } = serversIn(setting);
  const inbox = new AccountInbox(given({ reports: setting.reports, others: setting.tools }));
  const box = await setting.openBox?.();
  const spec = sessionSpec(setting, { ...which, box, inbox, repository });
  const session = agent.start({ ...spec, mcpServers: servers });
  const mark = sessionMark(which.sessionId);
  return { session, mark, inbox, leftOut: [...repository.leftOut, ...leftOut] };
}

/** A server whose script is another in this folder than the one that the user agreed to is left out. */
function serversIn({ config, cwd }: JobSetting): { servers: Record<string, McpServer>; leftOut: string[] } {
  const { agreed, mcpServers } = config;
  if (!agreed) return { servers: mcpServers, leftOut: [] };
  const isOther = (server: McpServer) =>
    server.type === "stdio" &&
    notAgreedTo([server.command, ...(server.args ?? [])], cwd, agreed) !== undefined;
  const all = Object.entries(mcpServers);
  return {
    servers: Object.fromEntries(all.filter(([, server]) => !isOther(server))),
    leftOut: all.filter(([, server]) => isOther(server)).map(([name]) => `mcp_servers.${name}`),
  };
}
