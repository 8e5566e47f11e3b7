import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Simulator } from "../src/simulator/server.ts";

const CODEX_MODEL = "gpt-5.5";

/** What Codex needs in its environment to run on the simulator, with no account and no other network. */
export async function codexEnvironment(
  simulator: Pick<Simulator, "url">,
  home: string,
): Promise<Record<string, string>> {
  await mkdir(home, { recursive: true });
  const config = `model = "${CODEX_MODEL}"
model_provider = "simulator"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.simulator]
name = "simulator"
base_url = "${simulator.url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
`;
  await writeFile(join(home, "config.toml"), config);
  return { CODEX_HOME: home, OPENAI_API_KEY: "sk-simulator", NO_PROXY: "127.0.0.1" };
}
