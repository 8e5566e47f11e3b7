export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
