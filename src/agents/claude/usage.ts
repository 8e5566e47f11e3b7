import { isFields } from "../../util/json.ts";
import type { TokenUsage } from "../events.ts";
import type { Terms } from "./prices.ts";

/** The tokens of a response, from the `usage` of the API's message, in the program's stream and in transcripts. */
export function tokensIn(usage: unknown): TokenUsage {
  const fields = isFields(usage) ? usage : {};
  const cacheWrite = count(fields.cache_creation_input_tokens);
  const hour = isFields(fields.cache_creation) ? count(fields.cache_creation.ephemeral_1h_input_tokens) : 0;
  return {
    input: count(fields.input_tokens),
    output: count(fields.output_tokens),
    cacheRead: count(fields.cache_read_input_tokens),
    cacheWrite,
    ...(hour > 0 && { cacheWriteHour: Math.min(hour, cacheWrite) }),
  };
}

export function termsIn(usage: unknown): Terms {
  const fields = isFields(usage) ? usage : {};
  const { speed, inference_geo, server_tool_use: tools } = fields;
  return {
    fast: speed === "fast",
    usOnly: inference_geo === "us",
    webSearches: isFields(tools) ? count(tools.web_search_requests) : 0,
  };
}

function count(value: unknown): number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
}
