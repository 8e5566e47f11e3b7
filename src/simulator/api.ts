import { contextLengthExceeded as messagesTooLong } from "./chat/errors.ts";
import { parseChat } from "./chat/request.ts";
import { encodeChunks, encodeCompletion } from "./chat/wire.ts";
import { type ApiError, apiError, errorOf, promptTooLong } from "./errors.ts";
import { parseBody, type WireRequest } from "./request.ts";
import { contextLengthExceeded, invalidKey, responsesError, responsesErrorOf } from "./responses/errors.ts";
import { parseResponses } from "./responses/request.ts";
import { encodeEvents, encodeResponse, withoutCacheWrites } from "./responses/wire.ts";
import type { Fault, Reply } from "./scenario.ts";
import type { Usage } from "./usage.ts";
import { encodeMessage, encodeStream } from "./wire.ts";

/** An answer as it is sent: whole, or piece by piece. */
export interface Encoded {
  whole: unknown;
  events: string[];
}

/** A way in which programs talk to a model. Scripts know nothing of it. */
export interface Api {
  /** The conversation in the form that scripts read, or why it is refused. */
  read(body: string, headers: Record<string, string>): Asked | ApiError;
  refusal(message: string): ApiError;
  tooLong(tokens: number, window: number): ApiError;
  errorOf(fault: Fault): ApiError | undefined;
  /** Tokens by the classes that it knows. */
  classes(usage: Usage): Usage;
  /** Where tokens are only to be counted: what says how many. */
  counted?(tokens: number): object;
}

export interface Asked {
  wire: WireRequest;
  encode(reply: Reply, usage: Usage): Encoded;
}

export const messagesApi: Api = {
  read(body) {
    const parsed = parseBody(body);
    if (!parsed.ok) return this.refusal(parsed.message);
    const { wire } = parsed;
    return {
      wire,
      encode(reply, usage) {
        const message = encodeMessage(reply, wire.model, usage);
        return { whole: message, events: encodeStream(message) };
      },
    };
  },
  refusal: (message) => apiError(400, "invalid_request_error", message),
  tooLong: promptTooLong,
  errorOf,
  classes: (usage) => usage,
};

export const messagesCount: Api = { ...messagesApi, counted: (input_tokens) => ({ input_tokens }) };

export const responsesApi: Api = {
  read(body, { authorization }) {
    if (!authorization?.startsWith("Bearer ")) return invalidKey();
    const parsed = parseResponses(body);
    if (!parsed.ok) {
      const { message, param } = parsed;
      return responsesError(400, { type: "invalid_request_error", message, param });
    }
    const { wire, offered } = parsed;
    return {
      wire,
      encode(reply, usage) {
        const response = encodeResponse(reply, wire.model, usage, offered);
        return { whole: response, events: encodeEvents(response) };
      },
    };
  },
  refusal: (message) => responsesError(400, { type: "invalid_request_error", message }),
  tooLong: contextLengthExceeded,
  errorOf: responsesErrorOf,
  classes: withoutCacheWrites,
};

export const chatApi: Api = {
  ...responsesApi,
  read(body, { authorization }) {
    if (!authorization?.startsWith("Bearer ")) return invalidKey();
    const parsed = parseChat(body);
    if (!parsed.ok) {
      const { message, param } = parsed;
      return responsesError(400, { type: "invalid_request_error", message, param });
    }
    const { wire, offered, streamsUsage } = parsed;
    return {
      wire,
      encode(reply, usage) {
        const completion = encodeCompletion(reply, wire.model, usage, offered);
        return { whole: completion, events: encodeChunks(completion, streamsUsage) };
      },
    };
  },
  tooLong: messagesTooLong,
};
