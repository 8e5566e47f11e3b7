/** The values that are there. */
export function given<T>(values: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  const present: Partial<T> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) present[key] = value;
  }
  return present;
}
