import { claudeModels } from "../../src/agents/claude/windows.ts";
import type { TokenUsage } from "../../src/agents/events.ts";

export const MODEL = "claude-sonnet-4-5";

/** Dollars a token, as Claude Code counts them for its Sonnet. */
const PRICE = { input: 3e-6, output: 15e-6, cacheRead: 0.3e-6, cacheWrite: 3.75e-6 };

export function costOf({ input, output, cacheRead, cacheWrite }: TokenUsage): number {
  return (
    input * PRICE.input + output * PRICE.output + cacheRead * PRICE.cacheRead + cacheWrite * PRICE.cacheWrite
  );
}

export function contextWindowOf(model = MODEL): number {
  return claudeModels.windowOf(model) ?? 200_000;
}
