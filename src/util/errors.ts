export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Why `fetch` failed: it only says that it did, and its cause says why. */
export function fetchFailure(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return fetchFailure(error.errors[0]);
  return error instanceof Error && error.cause instanceof Error
    ? fetchFailure(error.cause)
    : messageOf(error);
}
