import { randomUUID } from "node:crypto";
import type { Agent, AgentSession } from "../../agents/agent.ts";
import { AccountInbox } from "../../handoff/account-inbox.ts";
import { startGuard } from "../../processes/guard.ts";
import { type JobSetting, sessionSpec } from "./spec.ts";

/** A session whose program is starting up. It can do nothing before it is told something, and that is recorded first. */
export interface Prestarted {
  session: AgentSession;
  inbox: AccountInbox;
}

/** Starts the program of a new session ahead of its turn. Whoever starts it closes it, used or not. */
export function prestart(agent: Agent, setting: JobSetting): Prestarted {
  startGuard();
  const inbox = new AccountInbox();
  const session = agent.start(sessionSpec(setting, { sessionId: randomUUID(), resume: false, inbox }));
  return { session, inbox };
}
