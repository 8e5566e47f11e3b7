const LONG_SUFFIX = "[1m]";

/** Asked for with its long window. */
export function isLong(model: string): boolean {
  return model.endsWith(LONG_SUFFIX);
}

export function asLong(model: string): string {
  return model + LONG_SUFFIX;
}

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and `claude-sonnet-4-5@20250929` are `claude-sonnet-4-5`. */
export function modelName(model: string): string {
  const plain = isLong(model) ? model.slice(0, -LONG_SUFFIX.length) : model;
  const start = plain.lastIndexOf("claude-");
  if (start === -1) return plain;
  return plain
    .slice(start)
    .replace(/(-\d{8}|-latest)?(-v\d+(:\d+)?)?(@.+)?$/, "")
    .replaceAll(".", "-");
}
