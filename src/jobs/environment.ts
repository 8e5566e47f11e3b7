/** Marks of a Claude Code that Baton itself was started from: the agent must not take itself for a part of it. */
const NOT_OURS = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"];

export function ownEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !NOT_OURS.includes(name)) env[name] = value;
  }
  return env;
}
