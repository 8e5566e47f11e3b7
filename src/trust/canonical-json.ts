/**
 * JSON in one form, whatever its order of keys and its whitespace. Undefined for what is not JSON, or nested so deeply that
 * it cannot be looked through.
 */
export function canonicalJson(text: string): string | undefined {
  try {
    return written(JSON.parse(text), "");
  } catch {
    return undefined;
  }
}

function written(value: unknown, indent: string): string {
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close, parts] = Array.isArray(value)
    ? ["[", "]", value.map((each) => written(each, inner))]
    : ["{", "}", fields(value, inner)];
  return parts.length === 0
    ? open + close
    : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

function fields(value: object, indent: string): string[] {
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}: ${written(each, indent)}`);
}
