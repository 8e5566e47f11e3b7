import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Simulator } from "../src/simulator/server.ts";
import { OPENCODE } from "./needs.ts";

const MODEL = "claude-sonnet-4-5";
export const OPENCODE_MODEL = `anthropic/${MODEL}`;

/** All models that it is to know. Of those of the whole world, every start would take a second to read the list. */
const MODELS = {
  anthropic: {
    id: "anthropic",
    name: "Anthropic",
    npm: "@ai-sdk/anthropic",
    env: ["ANTHROPIC_API_KEY"],
    models: {
      [MODEL]: {
        id: MODEL,
        name: "Claude Sonnet 4.5",
        release_date: "2025-09-29",
        attachment: true,
        reasoning: true,
        temperature: true,
        tool_call: true,
        limit: { context: 200_000, output: 64_000 },
        cost: { input: 3, output: 15 },
      },
    },
  },
};

/** What opencode needs in its environment to run on the simulator, with no account and no other network. */
export function opencodeEnvironment(simulator: Pick<Simulator, "url">, home: string): Record<string, string> {
  mkdirSync(home, { recursive: true });
  const models = join(home, "opencode-models.json");
  writeFileSync(models, JSON.stringify(MODELS));
  const config = {
    autoupdate: false,
    share: "disabled",
    // Its own copy of the tree at every step is none of what is tested, and takes git longer than the step.
    snapshot: false,
    model: OPENCODE_MODEL,
    small_model: OPENCODE_MODEL,
    provider: { anthropic: { options: { baseURL: `${simulator.url}/v1`, apiKey: "sk-simulator" } } },
  };
  return {
    HOME: home,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_MODELS_PATH: models,
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    NO_PROXY: "127.0.0.1",
    PATH: [dirname(OPENCODE), dirname(process.execPath), process.env.PATH].join(delimiter),
  };
}
