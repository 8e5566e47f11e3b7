import type { ApiError } from "../errors.ts";
import { responsesError } from "../responses/errors.ts";

/** All other errors are worded as those of Responses, by the same service. */
export function contextLengthExceeded(tokens: number, window: number): ApiError {
  return responsesError(400, {
    type: "invalid_request_error",
    code: "context_length_exceeded",
    param: "messages",
    message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  });
}
