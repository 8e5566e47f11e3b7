import { createHash } from "node:crypto";
import type { WireRequest } from "./request.ts";
import type { Reply } from "./scenario.ts";

const CHARACTERS_PER_TOKEN = 4;
/** With prompt caching on, the API counts only what follows the last cache mark as plain input. */
const UNCACHED_TOKENS = 4;
const REMINDER = /<system-reminder>.*?<\/system-reminder>/gs;

/** One piece of a prompt. Its fingerprint stands for itself and everything before it. */
interface PromptPart {
  fingerprint: string;
  tokens: number;
}

/** Tokens of one answer, in the API's own words. */
export interface Usage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
}

/** The prompt in the order in which the API caches it: tools and system, then each block of each message. */
export function measurePrompt(wire: WireRequest, factor: number): PromptPart[] {
  const head = canonical([wire.model, wire.tools ?? [], withoutBilling(wire.system)]);
  const parts: PromptPart[] = [{ fingerprint: digest(head), tokens: tokens(head.length) }];
  for (const { role, content } of wire.messages) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const block of blocks) {
      const json = canonical([role, block]);
      const previous = parts.at(-1)?.fingerprint ?? "";
      const own = role === "system" ? json.length : remindersIn(json);
      parts.push({
        fingerprint: digest(previous + json),
        tokens: tokens(own + (json.length - own) * factor),
      });
    }
  }
  return parts;
}

export function sumTokens(parts: PromptPart[]): number {
  return parts.reduce((sum, part) => sum + part.tokens, 0);
}

/** `cached` holds the fingerprints of the prompts that were answered before, or is undefined with caching off. */
export function usageOf(parts: PromptPart[], cached: Set<string> | undefined, output: number): Usage {
  const total = sumTokens(parts);
  if (cached === undefined) {
    return {
      input_tokens: total,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: output,
    };
  }
  const known = parts.findLastIndex(({ fingerprint }) => cached.has(fingerprint));
  const read = Math.max(0, sumTokens(parts.slice(0, known + 1)) - UNCACHED_TOKENS);
  const input = Math.min(UNCACHED_TOKENS, total);
  return {
    input_tokens: input,
    cache_creation_input_tokens: total - read - input,
    cache_read_input_tokens: read,
    output_tokens: output,
  };
}

export function outputTokens({ say = "", think = "", call = [] }: Reply, factor: number): number {
  const calls = [call].flat();
  const characters = say.length + think.length + (calls.length > 0 ? JSON.stringify(calls).length : 0);
  return Math.max(1, tokens(characters * factor));
}

/** What the model takes, as the API enforces it. */
export function windowOf(model: string, betas: string): number {
  if (model.startsWith("gpt-")) return 272_000;
  if (model.startsWith("gemini-")) return 1_048_576;
  const large = model.includes("opus-5-5") || model.includes("[1m]") || betas.includes("context-1m");
  return large ? 1_000_000 : 200_000;
}

/** What the program adds of its own is no part of the work: with the factor on it, it alone would fill a window. */
function remindersIn(json: string): number {
  return (json.match(REMINDER) ?? []).reduce((sum, { length }) => sum + length, 0);
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Cache marks move from request to request and are no part of the prompt. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner));
}

/** The first block of the system prompt changes within a session, and the API does not count it as prompt. */
function withoutBilling(system: WireRequest["system"]): WireRequest["system"] {
  if (!Array.isArray(system)) return system;
  return system.filter(({ text }) => !text?.startsWith("x-anthropic-billing-header"));
}

function digest(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}
