import type { Models } from "../agent.ts";
import { modelName } from "./model-name.ts";
import { listPrice } from "./prices.ts";

/** Codex keeps a part of each window for itself, and compacts rather than use it: this much of it can be filled. */
const USABLE = 0.95;

/** The windows that Codex 0.166.0 lists. */
const WINDOWS = new Map([
  ["gpt-5.5", 272_000],
  ["gpt-5.6-luna", 272_000],
  ["gpt-5.6-sol", 272_000],
  ["gpt-5.6-terra", 272_000],
  ["gpt-6-astra", 272_000],
  ["gpt-6-luna", 272_000],
  ["gpt-6-sol", 272_000],
  ["gpt-6.1-sol", 272_000],
  ["gpt-6.1-terra", 500_000],
]);

export const codexModels: Models = { windowOf, windowKey: modelName, isSameModel, priceOf: listPrice };

function windowOf(model: string): number | undefined {
  const whole = WINDOWS.get(modelName(model));
  return whole === undefined ? undefined : Math.round(whole * USABLE);
}

/** Where its own compaction sets in, of a window as it tells it. */
export function compactsAt(window: number): number {
  return Math.round((window / USABLE) * 0.9);
}

function isSameModel(one: string, other: string): boolean {
  return modelName(one) === modelName(other);
}
