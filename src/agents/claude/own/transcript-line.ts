/** Lines of a transcript, one by one. Light, because hooks load it. */
export { lineEvents } from "../transcript/line.ts";

/** When a line was written, in milliseconds since 1970. */
export function writtenAt(line: string): number | undefined {
  const [, at] = /"timestamp":"([^"]+)"/.exec(line) ?? [];
  return at === undefined ? undefined : Date.parse(at);
}

/** A text as it stands in a transcript. */
export function asWritten(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
