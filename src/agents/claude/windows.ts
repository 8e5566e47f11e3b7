import type { Models } from "../agent.ts";
import { asLong, isLong, modelName } from "./model-name.ts";
import { listPrice } from "./prices.ts";

const STANDARD = 200_000;
const LONG = 1_000_000;

/** What Claude Code 2.1.325 itself answers for each model. */
const windows = new Map([
  ["claude-3-5-haiku", STANDARD],
  ["claude-3-7-sonnet", STANDARD],
  ["claude-haiku-4-5", STANDARD],
  ["claude-haiku-5-5", LONG],
  ["claude-sonnet-4", STANDARD],
  ["claude-sonnet-4-0", STANDARD],
  ["claude-sonnet-4-5", STANDARD],
  ["claude-sonnet-4-6", STANDARD],
  ["claude-sonnet-5", LONG],
  ["claude-sonnet-5-5", LONG],
  ["claude-opus-4", STANDARD],
  ["claude-opus-4-0", STANDARD],
  ["claude-opus-4-1", STANDARD],
  ["claude-opus-4-5", STANDARD],
  ["claude-opus-4-6", STANDARD],
  ["claude-opus-4-7", LONG],
  ["claude-opus-4-8", LONG],
  ["claude-opus-5", LONG],
  ["claude-opus-5-5", LONG],
  ["claude-fable-5", LONG],
  ["claude-fable-5-1", LONG],
  ["claude-fable-5-2", LONG],
  ["claude-mythos-5", LONG],
  ["claude-mythos-5-1", LONG],
  ["claude-mythos-5-2", LONG],
  ["claude-mythos-preview", LONG],
]);

export const claudeModels: Models = { windowOf, windowKey, isSameModel, priceOf: listPrice };

/** What a session has, as long as nothing tells otherwise. */
export const USUAL_WINDOW = STANDARD;

function windowOf(model: string): number | undefined {
  return isLong(model) ? LONG : windows.get(modelName(model));
}

/** The spellings of all providers are one; the `[1m]` variant has a window of its own and keeps its suffix. */
function windowKey(model: string): string {
  return isLong(model) ? asLong(modelName(model)) : modelName(model);
}

function isSameModel(one: string, other: string): boolean {
  return one === other || modelName(one) === modelName(other);
}
