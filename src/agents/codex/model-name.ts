/** Without a provider before it, and without a date after it. */
export function modelName(model: string): string {
  return model
    .replace(/^.*\//, "")
    .replace(/-\d{4}-\d{2}-\d{2}$/, "")
    .toLowerCase();
}
