/** Whether there is something at a dot path of the payload, like `session.is_continuation`; `!` in front negates. */
export function holds(when: string, payload: unknown): boolean {
  const negated = when.startsWith("!");
  const path = (negated ? when.slice(1) : when).trim().split(".");
  let value: unknown = payload;
  for (const key of path) value = own(value, key);
  return Boolean(value) !== negated;
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}
