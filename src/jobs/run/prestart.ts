import { randomUUID } from "node:crypto";
import type { Agent, AgentSession } from "../../agents/agent.ts";
import { HandoffDesk } from "../../handoff/desk.ts";
import { startGuard } from "../../processes/guard.ts";
import { type JobSetting, sessionSpec } from "./spec.ts";

/** A session whose program is starting up. It can do nothing before it is told something, and that is recorded first. */
export interface Prestarted {
  session: AgentSession;
  desk: HandoffDesk;
}

/** Starts the program of a new session ahead of its turn. Whoever starts it closes it, used or not. */
export function prestart(agent: Agent, setting: JobSetting): Prestarted {
  startGuard();
  const desk = new HandoffDesk();
  const session = agent.start(sessionSpec(setting, { sessionId: randomUUID(), resume: false, desk }));
  return { session, desk };
}
