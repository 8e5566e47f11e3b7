import type { Models } from "./agent.ts";
import type { TokenUsage } from "./events.ts";

/** US dollars a million tokens. What is written to the cache costs by how long it is kept there. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
}

/** In US dollars. */
export function costAt(price: Price, usage: TokenUsage): number {
  const { input, output, cacheRead, cacheWrite, cacheWriteHour = 0 } = usage;
  const perMillion =
    input * price.input +
    output * price.output +
    cacheRead * price.cacheRead +
    (cacheWrite - cacheWriteHour) * price.cacheWrite5m +
    cacheWriteHour * price.cacheWrite1h;
  return perMillion / 1_000_000;
}

/** What the user says that models cost, by their names. */
export type OwnPrices = Readonly<Record<string, Price>>;

function ownPriceOf(
  prices: OwnPrices,
  model: string,
  { isSameModel }: Pick<Models, "isSameModel">,
): Price | undefined {
  return Object.entries(prices).find(([named]) => isSameModel(named, model))?.[1];
}

/** A program's models at the user's prices, where there are any. */
export function atOwnPrices(models: Models, prices: OwnPrices): Models {
  if (Object.keys(prices).length === 0) return models;
  return {
    ...models,
    priceOf: (model, prompt) => ownPriceOf(prices, model, models) ?? models.priceOf(model, prompt),
  };
}

/** A response as the user pays for it, where they have said what its model costs. */
export function repriced<T extends { type: string }>(event: T, prices: OwnPrices, models: Models): T {
  if (!isResponse(event)) return event;
  const price = ownPriceOf(prices, event.model, models);
  return price && event.usage ? { ...event, costUsd: costAt(price, event.usage) } : event;
}

function isResponse(event: {
  type: string;
}): event is { type: "response"; model: string; usage?: TokenUsage } {
  return event.type === "response";
}
