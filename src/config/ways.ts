import type { AgentConfig } from "./config.ts";

/** How a person's own session works, for a job that continues it. Its model and its permission mode are the job's choice. */
export interface Ways {
  /** That it was started in. */
  folder: string;
  allowedTools: string[];
  deniedTools: string[];
}

/**
 * An agent that works as a session did, in the same folder. Of the configured one stays what says how long it may work, what
 * it must never do, how it hands off and who is told.
 */
export function workingAs(
  { systemPrompt: _prompt, standIns: _others, ...agent }: AgentConfig,
  { folder, allowedTools, deniedTools }: Ways,
): AgentConfig {
  const { onLimit } = agent.session;
  return {
    ...agent,
    allowedTools,
    deniedTools: [...new Set([...agent.deniedTools, ...deniedTools])],
    mcpServers: {},
    workingDirectory: folder,
    workspace: { ...agent.workspace, strategy: "static", onFolderBusy: "warn" },
    // Another agent would not work as that session did.
    session: {
      ...agent.session,
      mode: "fresh",
      onLimit: onLimit === "switch" ? "wait" : onLimit,
      fallback: [],
    },
  };
}
