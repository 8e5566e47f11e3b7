import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Simulator } from "../src/simulator/server.ts";
import { PI } from "./needs.ts";

export const PI_MODEL = "simulated/a-model";

/** Prices of a dear model, so that small jobs cost something. */
const COST = { input: 100, output: 500, cacheRead: 10, cacheWrite: 125 };

/** What pi needs in its environment, and in its folder, to run on the simulator. */
export function piEnvironment(
  simulator: Pick<Simulator, "url">,
  folder: string,
  {
    retries = 0,
    window = 200_000,
    settings = {},
  }: { retries?: number; window?: number; settings?: object } = {},
): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  const model = { id: "a-model", contextWindow: window, maxTokens: 8_000, cost: COST };
  const provider = {
    baseUrl: `${simulator.url}/v1`,
    api: "openai-completions",
    apiKey: "$SIMULATED_API_KEY",
    models: [model],
  };
  const retry = { enabled: retries > 0, maxRetries: retries, baseDelayMs: 10 };
  const put = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
  put("models.json", { providers: { simulated: provider } });
  put("settings.json", { retry, ...settings });
  return {
    PI_CODING_AGENT_DIR: folder,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    NO_PROXY: "127.0.0.1",
    SIMULATED_API_KEY: "simulator",
    // pi runs on the node that it finds there.
    PATH: [dirname(PI), dirname(process.execPath), process.env.PATH].join(delimiter),
  };
}
