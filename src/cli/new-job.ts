import { randomBytes } from "node:crypto";
import type { AgentConfig } from "../config/config.ts";
import { createJob, jobId } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import type { Project } from "./project.ts";

/** Puts a job on record and says its id. */
export async function newJob(
  store: Store,
  { configPath }: Project,
  agent: AgentConfig,
  prompt: string,
): Promise<string> {
  const now = new Date();
  const id = jobId(now, randomBytes(6));
  const agentConfig = withoutSecrets(agent);
  await createJob(
    store,
    id,
    { type: "job:created", agent: agent.name, prompt, ...(configPath && { configPath }), agentConfig },
    now,
  );
  return id;
}

/** The values of the environment and of MCP servers can be secrets, and a resume reads them again anyway. */
function withoutSecrets({ env, mcpServers, ...agent }: AgentConfig) {
  return { ...agent, env: Object.keys(env), mcpServers: Object.keys(mcpServers) };
}
