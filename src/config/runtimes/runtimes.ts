import type { Abilities } from "./abilities.ts";
import { ACP_PRESETS, acp, acpPresetIn } from "./acp.ts";
import { claude } from "./claude.ts";
import { claudeCli } from "./claude-cli.ts";
import { codex } from "./codex.ts";
import { pi } from "./pi.ts";

/** Every runtime there is. `agents/registry.ts` has the adapter of each. */
export const RUNTIMES = { claude, "claude-cli": claudeCli, codex, pi, acp } as const satisfies Record<
  string,
  Abilities
>;

export type Runtime = keyof typeof RUNTIMES;

/** What other tools call them. */
export const RUNTIME_ALIASES: Readonly<Record<string, Runtime>> = {
  sdk: "claude",
  cli: "claude-cli",
};

/** What can be done with an agent's program. One that speaks a protocol of many is known by what starts it. */
export function abilitiesOf(runtime: Runtime, command: readonly string[] = []): Abilities {
  const preset = runtime === "acp" ? acpPresetIn(command) : undefined;
  return preset === undefined ? RUNTIMES[runtime] : ACP_PRESETS[preset].abilities;
}
