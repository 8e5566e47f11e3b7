/** A refusal of what the user asked for, before anything was started. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
