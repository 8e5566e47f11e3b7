import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Chosen, withChosen } from "./chosen.ts";
import type { Config } from "./config.ts";
import {
  resolveAgent,
  resolveFleet,
  resolveMaintenance,
  resolveWatch,
  resolveWeb,
  resolveWebhooks,
} from "./layers/resolve.ts";

/** What holds where there is neither a baton.yaml nor a file of the user's: one agent, Claude, in this folder, with the defaults of Baton. */
export function configWithoutFile(cwd: string, chosen?: Chosen): Config {
  const folders = { root: resolve(cwd), home: homedir() };
  return {
    root: folders.root,
    agents: [resolveAgent("claude", withChosen({}, chosen), folders)],
    maintenance: resolveMaintenance(),
    watch: resolveWatch(),
    web: resolveWeb(),
    webhooks: resolveWebhooks(),
    fleet: resolveFleet(),
    projects: [],
    budgets: [],
    workSources: [],
    paths: [],
    acting: [],
    ownTexts: [],
    ...(chosen && { chosen }),
  };
}
