import { isFields } from "../../util/json.ts";
import type { TokenUsage } from "../events.ts";

/** What was cached is a part of the input there. Undefined where nothing was told. */
export function usageIn(told: unknown): TokenUsage | undefined {
  if (!isFields(told)) return undefined;
  const figure = (...names: string[]) => {
    const found = names.map((name) => told[name]).find((value) => typeof value === "number");
    return typeof found === "number" ? found : 0;
  };
  const sent = figure("inputTokens", "input_tokens");
  const cacheRead = figure("cachedInputTokens", "cached_input_tokens");
  const cacheWrite = figure("cacheWriteInputTokens", "cache_write_input_tokens");
  if (sent === 0) return undefined;
  const input = Math.max(0, sent - cacheRead - cacheWrite);
  return { input, output: figure("outputTokens", "output_tokens"), cacheRead, cacheWrite };
}
