import type { SessionSpec } from "../agents/agent.ts";
import { ourMark } from "../agents/identity.ts";
import type { Mark } from "../agents/marked.ts";
import type { AgentConfig } from "../config/config.ts";
import type { HandoffDesk } from "../handoff/desk.ts";

/** What all sessions of a job have in common. */
export interface JobSetting {
  config: AgentConfig;
  cwd: string;
  env: Record<string, string>;
  /** Tells the agent about its workspace, after its own instructions. */
  whereabouts?: string;
}

/** Marks every process that is started for a job. */
export const jobMark = (job: string): Mark => ({ name: "BATON_JOB_ID", value: job });

/** The environment of a job's agent: ours, then what the user configured, then what tells Baton's own processes. */
export function jobEnvironment(
  env: Record<string, string>,
  config: AgentConfig,
  job: string,
): Record<string, string> {
  return { ...env, ...config.env, [jobMark(job).name]: job, [ourMark.name]: ourMark.value };
}

export function sessionSpec(
  { config, cwd, env, whereabouts }: JobSetting,
  { sessionId, resume, desk }: { sessionId: string; resume: boolean; desk: HandoffDesk },
): SessionSpec {
  const { model, permissionMode, maxTurns, executable } = config;
  const systemPrompt = [config.systemPrompt, whereabouts].filter(Boolean).join("\n\n");
  return {
    sessionId,
    resume,
    cwd,
    ...(model !== undefined && { model }),
    ...(systemPrompt !== "" && { systemPrompt }),
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
