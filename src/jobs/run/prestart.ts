import { randomUUID } from "node:crypto";
import type { Agent, AgentSession } from "../../agents/agent.ts";
import { repositoryAccess } from "../../agents/repository.ts";
import { AccountInbox } from "../../handoff/account-inbox.ts";
import { startGuard } from "../../processes/guard.ts";
import { type JobSetting, sessionSpec } from "./spec.ts";

/** A session whose program is starting up. It can do nothing before it is told something, and that is recorded first. */
export interface Prestarted {
  session: AgentSession;
  inbox: AccountInbox;
  /** What it does without, of all that came with the repository. */
  leftOut: readonly string[];
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
  const inbox = new AccountInbox();
  const session = agent.start(sessionSpec(setting, { ...which, inbox, repository }));
  return { session, inbox, leftOut: repository.leftOut };
}
