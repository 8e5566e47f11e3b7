import type { AgentConfig, PermissionMode } from "./config.ts";

/** How a person's own session works: a job that continues it works in the same way. */
export interface Ways {
  /** That it was started in. */
  folder: string;
  model?: string;
  permissionMode: PermissionMode;
  allowedTools: string[];
  deniedTools: string[];
}

/**
 * An agent that works as a session did, in the same folder. Of the configured one stays what says how long it may work, how it
 * hands off and who is told.
 */
export function workingAs(
  { model: _model, systemPrompt: _prompt, ...agent }: AgentConfig,
  { folder, ...ways }: Ways,
): AgentConfig {
  return {
    ...agent,
    ...ways,
    mcpServers: {},
    workingDirectory: folder,
    workspace: { ...agent.workspace, strategy: "static", onFolderBusy: "warn" },
    session: { ...agent.session, mode: "fresh" },
  };
}
