import { CODEX_PRICES } from "../../config/runtimes/codex-prices.ts";
import type { TokenUsage } from "../events.ts";
import { costAt, type Price } from "../price.ts";
import { modelName } from "./model-name.ts";

const MODELS = new Map(Object.entries(CODEX_PRICES.models));

/** What is written to a cache is billed as any input. */
export function listPrice(model: string): Price | undefined {
  const listed = MODELS.get(modelName(model));
  if (!listed) return undefined;
  const [input, cacheRead, output] = listed;
  return { input, output, cacheRead, cacheWrite5m: input, cacheWrite1h: input };
}

/** In US dollars, or undefined where the price is not known. */
export function listCost(model: string, usage: TokenUsage): number | undefined {
  const price = listPrice(model);
  return price && costAt(price, usage);
}
