/**
 * Deeper than anything that is not written to overflow a stack: what walks through a value calls itself once a level, and
 * `JSON.stringify` does too.
 */
const DEEPEST = 200;

/** Undefined for what is not JSON, or nested too deeply to be worked with. */
export function fromJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether it has more levels than a value may have. Does not call itself. */
export function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    const below: unknown[] = [];
    for (const each of level) {
      if (typeof each !== "object" || each === null) continue;
      for (const inner of Object.values(each))
        if (typeof inner === "object" && inner !== null) below.push(inner);
    }
    level = below;
  }
  return false;
}

export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
