import { delimiter, dirname } from "node:path";
import type { Simulator } from "../src/simulator/server.ts";
import { OPENCODE } from "./needs.ts";

export const OPENCODE_MODEL = "anthropic/claude-sonnet-4-5";

/** What opencode needs in its environment to run on the simulator, with no account and no other network. */
export function opencodeEnvironment(simulator: Pick<Simulator, "url">, home: string): Record<string, string> {
  const config = {
    autoupdate: false,
    share: "disabled",
    model: OPENCODE_MODEL,
    small_model: OPENCODE_MODEL,
    provider: { anthropic: { options: { baseURL: `${simulator.url}/v1`, apiKey: "sk-simulator" } } },
  };
  return {
    HOME: home,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    NO_PROXY: "127.0.0.1",
    PATH: [dirname(OPENCODE), dirname(process.execPath), process.env.PATH].join(delimiter),
  };
}
