/** What two failures have in common that only differ in numbers, ids, times and places: the first line without these. */
export function fingerprint(error: string): string {
  const [line = ""] = error.trim().split("\n");
  return line
    .toLowerCase()
    .replaceAll(/job-\d{4}-\d\d-\d\d-\w+/g, "<job>")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "<id>")
    .replaceAll(/(?:~|\.{0,2})(?:\/[\w.@+-]+)+/g, "<path>")
    .replaceAll(/\b[0-9a-f]*\d[0-9a-f]*\b/g, "<n>")
    .replaceAll(/\d+/g, "<n>")
    .slice(0, 200);
}
