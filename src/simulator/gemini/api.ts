import type { Api } from "../api.ts";
import { withoutCacheWrites } from "../responses/wire.ts";
import { geminiErrorOf, invalidArgument, tooManyTokens, withoutKey } from "./errors.ts";
import { parseGemini } from "./request.ts";
import { chunksOf, encodeChunks, encodeContent } from "./wire.ts";

const PATH = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

/** Gemini's: the model and what is wanted of it are in the address. Undefined for other addresses. */
export function geminiApi({ pathname, searchParams }: URL): Api | undefined {
  const [, model, method] = PATH.exec(pathname) ?? [];
  if (model === undefined) return undefined;
  const stream = method === "streamGenerateContent";
  const asEvents = searchParams.get("alt") === "sse";
  return {
    read(body, { "x-goog-api-key": key, authorization }) {
      if (!(key || authorization || searchParams.get("key"))) return withoutKey();
      const parsed = parseGemini(body, model);
      if (!parsed.ok) return invalidArgument(parsed.message);
      const { wire, offered } = parsed;
      return {
        wire: { ...wire, ...(stream && asEvents && { stream }) },
        encode(reply, usage) {
          const content = encodeContent(reply, model, usage, offered);
          // A stream that is not one of events is a list of the same.
          return { whole: stream ? chunksOf(content) : content, events: encodeChunks(content) };
        },
      };
    },
    refusal: invalidArgument,
    tooLong: tooManyTokens,
    errorOf: geminiErrorOf,
    classes: withoutCacheWrites,
    ...(method === "countTokens" && { counted: (totalTokens: number) => ({ totalTokens }) }),
  };
}
