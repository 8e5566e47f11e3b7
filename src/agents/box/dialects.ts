import type { ApiDoor } from "../../box/proxy/api-door.ts";
import { isFields } from "../../util/json.ts";
import type { Models } from "../agent.ts";
import { tokensIn } from "../claude/usage.ts";
import type { TokenUsage } from "../events.ts";
import { AnswerMeter, type Bill } from "./meter.ts";

/** The APIs that programs ask their models by: Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's. */
export type Dialect = "messages" | "responses" | "completions" | "gemini";

interface Manner extends Bill {
  /** In which a program sends its key. */
  keyHeader: "x-api-key" | "authorization" | "x-goog-api-key";
  refusal: (message: string) => object;
}

const ofOpenAi = (message: string) => ({ error: { type: "invalid_request_error", message } });

const MANNERS: Record<Dialect, Manner> = {
  messages: {
    keyHeader: "x-api-key",
    find: ({ message, model, usage }) =>
      isFields(message) ? { model: message.model, usage: message.usage } : { model, usage },
    tokens: tokensIn,
    refusal: (message) => ({ type: "error", error: { type: "permission_error", message } }),
  },
  responses: {
    keyHeader: "authorization",
    find: ({ response, model, usage }) =>
      isFields(response) ? { model: response.model, usage: response.usage } : { model, usage },
    tokens: ({ input_tokens: sent, output_tokens: output, input_tokens_details: details }) =>
      counted(sent, output, isFields(details) ? details.cached_tokens : 0),
    refusal: ofOpenAi,
  },
  completions: {
    keyHeader: "authorization",
    find: ({ model, usage }) => ({ model, usage }),
    tokens: ({ prompt_tokens: sent, completion_tokens: output, prompt_tokens_details: details }) =>
      counted(sent, output, isFields(details) ? details.cached_tokens : 0),
    refusal: ofOpenAi,
  },
  gemini: {
    keyHeader: "x-goog-api-key",
    find: ({ modelVersion: model, usageMetadata: usage }) => ({ model, usage }),
    tokens: (usage) =>
      counted(
        usage.promptTokenCount,
        figure(usage.candidatesTokenCount) + figure(usage.thoughtsTokenCount),
        usage.cachedContentTokenCount,
      ),
    refusal: (message) => ({ error: { code: 403, status: "PERMISSION_DENIED", message } }),
  },
};

/** What was cached is a part of what was sent. */
function counted(sent: unknown, output: unknown, cached: unknown): TokenUsage {
  const cacheRead = Math.min(figure(cached), figure(sent));
  return { input: figure(sent) - cacheRead, output: figure(output), cacheRead, cacheWrite: 0 };
}

function figure(value: unknown): number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
}

/** How a model is reached, and signed in to with a key: by the header of its API, unless `headers` says it all. */
export function doorTo(
  dialect: Dialect,
  {
    upstream,
    key,
    headers = {},
    priceOf,
  }: {
    upstream: string;
    key?: string | undefined;
    headers?: Record<string, string>;
    priceOf: Models["priceOf"];
  },
): ApiDoor {
  const { keyHeader, refusal, ...bill } = MANNERS[dialect];
  const signIn =
    key === undefined ? {} : { [keyHeader]: keyHeader === "authorization" ? `Bearer ${key}` : key };
  return {
    upstream,
    headers: { ...signIn, ...headers },
    tokenHeaders: ["x-api-key", "authorization", "x-goog-api-key"],
    meter: () => new AnswerMeter(bill, priceOf),
    refusal: (message) => JSON.stringify(refusal(message)),
  };
}
