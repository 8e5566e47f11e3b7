import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Simulator } from "../src/simulator/server.ts";
import { CODEX } from "./needs.ts";

export const CODEX_MODEL = "gpt-5.5";

/**
 * What Codex needs in its environment to run on the simulator, with no account and no other network. `window`: as much of it as
 * Codex fills.
 */
export function codexEnvironment(
  simulator: Pick<Simulator, "url">,
  home: string,
  { retries = 0, window = 200_000 }: { retries?: number; window?: number } = {},
): Record<string, string> {
  mkdirSync(home, { recursive: true });
  const config = `model = "${CODEX_MODEL}"
model_provider = "simulator"
model_context_window = ${Math.ceil(window / 0.95)}
check_for_update_on_startup = false
features.plugins = false
features.apps = false
[analytics]
enabled = false
[model_providers.simulator]
name = "simulator"
base_url = "${simulator.url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = ${retries}
stream_max_retries = ${retries}
`;
  writeFileSync(join(home, "config.toml"), config);
  return {
    CODEX_HOME: home,
    OPENAI_API_KEY: "sk-simulator",
    NO_PROXY: "127.0.0.1",
    // What npm installs is a script for the node that it finds there.
    PATH: [dirname(CODEX), dirname(process.execPath), process.env.PATH].join(delimiter),
  };
}
