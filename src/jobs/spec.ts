import type { SessionSpec } from "../agents/agent.ts";
import { ourMark } from "../agents/identity.ts";
import type { AgentConfig } from "../config/config.ts";
import type { HandoffDesk } from "../handoff/desk.ts";

/** What all sessions of a job have in common. */
export interface JobSetting {
  config: AgentConfig;
  cwd: string;
  env: Record<string, string>;
}

/** The environment of a job's agent: ours, then what the user configured, then what tells Baton's own processes. */
export function jobEnvironment(
  env: Record<string, string>,
  config: AgentConfig,
  job: string,
): Record<string, string> {
  return { ...env, ...config.env, BATON_JOB_ID: job, [ourMark.name]: ourMark.value };
}

export function sessionSpec(
  { config, cwd, env }: JobSetting,
  { sessionId, resume, desk }: { sessionId: string; resume: boolean; desk: HandoffDesk },
): SessionSpec {
  const { model, systemPrompt, permissionMode, maxTurns, executable } = config;
  return {
    sessionId,
    resume,
    cwd,
    ...(model !== undefined && { model }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(executable !== undefined && { executable }),
    allowedTools: config.allowedTools,
    deniedTools: config.deniedTools,
    mcpServers: config.mcpServers,
    ownTools: desk.tools,
    env,
    autoCompact: config.session.autoCompact,
  };
}
