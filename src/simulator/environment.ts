import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../util/errors.ts";
import type { Simulator } from "./server.ts";

/** Claude Code reads a usage limit and its reset time from an answer only when it runs on a plan, not on an API key. */
export type Account = "key" | "plan";

const CREDENTIALS: Record<Account, Record<string, string>> = {
  key: { ANTHROPIC_API_KEY: "sk-ant-simulator", CLAUDE_CODE_OAUTH_TOKEN: "" },
  plan: { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-simulator" },
};

/** Has Claude Code start at its prompt when a person starts it, and not with its welcome, which asks the network. */
export async function skipWelcome(configDir: string, folders: readonly string[] = []): Promise<void> {
  const approved = Object.values(CREDENTIALS).flatMap(({ ANTHROPIC_API_KEY: key }) =>
    key ? [key.slice(-KEY_CHARACTERS)] : [],
  );
  const projects = Object.fromEntries(folders.map((folder) => [folder, { hasTrustDialogAccepted: true }]));
  const state = { hasCompletedOnboarding: true, customApiKeyResponses: { approved, rejected: [] }, projects };
  const path = join(configDir, ".claude.json");
  // One that is there is of an earlier run, which got past it.
  await writeFile(path, JSON.stringify(state), { flag: "wx" }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

/** By the end of a key Claude Code knows that it was allowed. */
const KEY_CHARACTERS = 20;

/**
 * What the real Claude Code needs in its environment to run on the simulator, with no account and no other network.
 * The empty ones take back what would send its requests elsewhere.
 */
export function agentEnvironment(
  simulator: Pick<Simulator, "url">,
  configDir: string,
  account: Account = "key",
): Record<string, string> {
  return {
    ...CREDENTIALS[account],
    ANTHROPIC_BASE_URL: simulator.url,
    ANTHROPIC_AUTH_TOKEN: "",
    CLAUDE_CODE_USE_BEDROCK: "",
    CLAUDE_CODE_USE_VERTEX: "",
    NO_PROXY: "127.0.0.1",
    CLAUDE_CONFIG_DIR: configDir,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    // Or it clones its makers' marketplace of plugins when a person starts it.
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
    IS_SANDBOX: "1",
  };
}
