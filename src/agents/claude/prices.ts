import type { TokenUsage } from "../events.ts";
import { costAt, type Price } from "../price.ts";
import { modelName } from "./model-name.ts";

interface ModelPrice extends Price {
  /** Of a response in fast mode, where the model has one. */
  fast?: Price;
  /** Of a response to a longer prompt than this. */
  longPrompt?: Price & { aboveTokens: number };
}

const price = (
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
): Price => ({ input, output, cacheRead, cacheWrite5m, cacheWrite1h });

const HAIKU_3_5 = price(0.8, 4, 0.08, 1, 1.6);
const HAIKU_4_5 = price(1, 5, 0.1, 1.25, 2);
const HAIKU_5_5 = {
  ...price(0.1, 0.5, 0.01, 0.125, 0.2),
  longPrompt: { aboveTokens: 100_000, ...price(0.5, 2.5, 0.05, 0.625, 1) },
};
const SONNET_4 = price(3, 15, 0.3, 3.75, 6);
const SONNET_5 = price(2, 10, 0.2, 2.5, 4);
const SONNET_5_5 = price(2, 10, 0.1, 2.5, 4);
const OPUS_4 = price(15, 75, 1.5, 18.75, 30);
const OPUS_4_5 = price(5, 25, 0.5, 6.25, 10);
const OPUS_4_6 = { ...OPUS_4_5, fast: price(30, 150, 3, 37.5, 60) };
const OPUS_4_8 = { ...OPUS_4_5, fast: price(10, 50, 1, 12.5, 20) };
const OPUS_5_5 = { ...price(4, 20, 0.2, 5, 8), fast: price(8, 40, 0.4, 10, 16) };
const FABLE_5 = price(10, 50, 1, 12.5, 20);
const FABLE_5_1 = price(10, 50, 0.25, 12.5, 20);
const FABLE_5_2 = { ...price(8, 40, 0.2, 10, 16), fast: price(16, 80, 0.4, 20, 32) };

/** The list prices that Claude Code 2.1.325 itself goes by, and the day that it was built on. */
export const listPrices: { date: string; models: ReadonlyMap<string, ModelPrice> } = {
  date: "2026-11-13",
  models: new Map<string, ModelPrice>([
    ["claude-3-5-haiku", HAIKU_3_5],
    ["claude-haiku-4-5", HAIKU_4_5],
    ["claude-haiku-5-5", HAIKU_5_5],
    ["claude-3-5-sonnet", SONNET_4],
    ["claude-3-7-sonnet", SONNET_4],
    ["claude-sonnet-4", SONNET_4],
    ["claude-sonnet-4-0", SONNET_4],
    ["claude-sonnet-4-5", SONNET_4],
    ["claude-sonnet-4-6", SONNET_4],
    ["claude-sonnet-5", SONNET_5],
    ["claude-sonnet-5-5", SONNET_5_5],
    ["claude-opus-4", OPUS_4],
    ["claude-opus-4-0", OPUS_4],
    ["claude-opus-4-1", OPUS_4],
    ["claude-opus-4-5", OPUS_4_5],
    ["claude-opus-4-6", OPUS_4_6],
    ["claude-opus-4-7", OPUS_4_6],
    ["claude-opus-4-8", OPUS_4_8],
    ["claude-opus-5", OPUS_4_8],
    ["claude-opus-5-5", OPUS_5_5],
    ["claude-fable-5", FABLE_5],
    ["claude-fable-5-1", FABLE_5_1],
    ["claude-fable-5-2", FABLE_5_2],
    ["claude-mythos-5", FABLE_5],
    ["claude-mythos-5-1", FABLE_5_1],
    ["claude-mythos-5-2", FABLE_5_2],
  ]),
};

const WEB_SEARCH_USD = 0.01;
/** A response that must be computed in the United States costs more. */
const US_ONLY_FACTOR = 1.1;

/** What a response is billed by, besides its tokens. */
export interface Terms {
  fast: boolean;
  usOnly: boolean;
  webSearches: number;
}

/** In US dollars, or undefined where the price or the tokens are not known: a guess would be worse than none. */
export function listCost(model: string, usage: TokenUsage, terms: Terms): number | undefined {
  if (usage.input + usage.output + usage.cacheRead + usage.cacheWrite === 0) return undefined;
  const known = listPrices.models.get(modelName(model));
  const price = terms.fast ? known?.fast : known && forLength(known, sentIn(usage));
  if (price === undefined) return undefined;
  const factor = terms.usOnly ? US_ONLY_FACTOR : 1;
  return costAt(price, usage) * factor + terms.webSearches * WEB_SEARCH_USD;
}

/** Of a response in the model's usual mode, to a prompt of so many tokens. */
export function listPrice(model: string, prompt: number): Price | undefined {
  const known = listPrices.models.get(modelName(model));
  return known && forLength(known, prompt);
}

function forLength(price: ModelPrice, prompt: number): Price {
  const { longPrompt } = price;
  return longPrompt && prompt > longPrompt.aboveTokens ? longPrompt : price;
}

function sentIn({ input, cacheRead, cacheWrite }: TokenUsage): number {
  return input + cacheRead + cacheWrite;
}
