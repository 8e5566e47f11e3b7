import type { Abilities } from "./abilities.ts";
import { claude } from "./claude.ts";
import { claudeCli } from "./claude-cli.ts";
import { pi } from "./pi.ts";

/** Every runtime there is. `agents/registry.ts` has the adapter of each. */
export const RUNTIMES = { claude, "claude-cli": claudeCli, pi } as const satisfies Record<string, Abilities>;

export type Runtime = keyof typeof RUNTIMES;

/** What other tools call them. */
export const RUNTIME_ALIASES: Readonly<Record<string, Runtime>> = {
  sdk: "claude",
  cli: "claude-cli",
};
