import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Simulator } from "../src/simulator/server.ts";
import { PROGRAMS } from "./needs.ts";

export const GEMINI_MODEL = "gemini-2.5-pro";

/** What Gemini CLI needs in its environment to run on the simulator, with no account and no other network. */
export function geminiEnvironment(simulator: Pick<Simulator, "url">, home: string): Record<string, string> {
  const folder = join(home, ".gemini");
  mkdirSync(folder, { recursive: true });
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  };
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
  return {
    HOME: home,
    GEMINI_API_KEY: "simulator",
    GOOGLE_GEMINI_BASE_URL: simulator.url,
    NO_PROXY: "127.0.0.1",
    // What npm installs is a script for the node that it finds there.
    PATH: [PROGRAMS, dirname(process.execPath), process.env.PATH].join(delimiter),
  };
}
