import { homedir } from "node:os";
import { join } from "node:path";
import { readBoundedText } from "../../files/bounded-file.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { claudeHome } from "./transcripts.ts";

/** In the order in which the program looks at them. */
const VARIABLES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
];
const MOST_BYTES = 32 * 2 ** 20;

/** Whom Claude Code works for: where its requests go, and with what they are signed. */
export async function claudeSignIn(env: Record<string, string>): Promise<string[]> {
  const server = env.ANTHROPIC_BASE_URL ?? "";
  const variable = VARIABLES.find((name) => env[name]);
  if (variable !== undefined) return ["claude", server, variable, env[variable] ?? ""];
  return ["claude", server, accountIn(env) ?? claudeHome(env)];
}

/** Of the plan that the program is signed in to. */
function accountIn(env: Record<string, string>): string | undefined {
  try {
    const path = join(env.CLAUDE_CONFIG_DIR ?? env.HOME ?? homedir(), ".claude.json");
    const kept = fromJson(readBoundedText(path, MOST_BYTES));
    const account = isFields(kept) && isFields(kept.oauthAccount) ? kept.oauthAccount.accountUuid : undefined;
    return typeof account === "string" ? account : undefined;
  } catch {
    return undefined;
  }
}
