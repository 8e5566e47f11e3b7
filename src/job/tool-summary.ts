import { oneLine } from "../util/printable.ts";

const LONGEST = 120;

/** One line that tells a person what a tool call is about. */
export function summaryOf(about: string): string {
  const line = oneLine(about);
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
