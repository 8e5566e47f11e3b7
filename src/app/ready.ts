import { ownEnvironment } from "../agents/claude/own-environment.ts";
import { claudeCredentials, claudeProgram } from "../agents/claude/program.ts";
import { agentNamed } from "../config/agent-named.ts";
import { checkPaths } from "../config/check-paths.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { UsageError } from "./usage-error.ts";

/** The agent to run, once everything that would stop it at once has been looked at. */
export async function readyAgent(
  config: Config,
  name?: string,
  base: Record<string, string> = ownEnvironment(),
): Promise<AgentConfig> {
  const agent = agentNamed(config, name);
  checkPaths(config, agent);
  if (config.commands.length > 0) {
    const { refuseUntrusted } = await import("./trust/check.ts");
    await refuseUntrusted(config, agent);
  }
  const program = claudeProgram(agent.executable);
  if (program === undefined) {
    throw new UsageError(
      `Claude Code is not installed for ${process.platform}-${process.arch}.\n` +
        "Install Baton again without leaving out optional packages, or set `executable` to your own claude.",
    );
  }
  const env = { ...base, ...agent.env };
  if ((await claudeCredentials(env, program)) === undefined) {
    throw new UsageError(
      "Claude Code has no credentials.\n" +
        "Set ANTHROPIC_API_KEY, or sign in once with `claude auth login`. To try Baton without an account: `baton demo`.",
    );
  }
  return agent;
}
