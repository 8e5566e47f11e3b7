/** There is no such thing, or whoever asks may not see it. */
export class NotFoundError extends Error {
  override readonly name = "NotFoundError";
}
