import { MARKS_OF_A_SESSION as CLAUDE } from "./claude/environment.ts";
import { MARKS_OF_A_SESSION as CODEX } from "./codex/environment.ts";
import { MARKS_OF_A_SESSION as PI } from "./pi/environment.ts";

/** What sessions of agents put into the environment of all that they start. */
export const MARKS_OF_A_SESSION: readonly string[] = [...CLAUDE, ...CODEX, ...PI];

/** By which people have a token of the API at hand: an agent is not to find one where it looks first. */
const TOKEN = "BATON_TOKEN";

/**
 * An environment without the marks of an agent's session that Baton itself was started from: what Baton starts must not
 * take itself for a part of it.
 */
export function ownEnvironment(from: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && name !== TOKEN && !MARKS_OF_A_SESSION.includes(name)) env[name] = value;
  }
  return env;
}
