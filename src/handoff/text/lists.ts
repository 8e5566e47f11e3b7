import { withPlainLines } from "./sections.ts";

/** What stands in a section that is empty. */
export const NONE = "None.";

/** The entries as a list. What says that there is none is not one. */
export function list(entries: readonly string[]): string {
  const said = entries.map((entry) => withPlainLines(entry).trim()).filter((entry) => !isNone(entry));
  return said.length === 0 ? NONE : said.map(bullet).join("\n");
}

export function bullet(entry: string): string {
  return `- ${entry.replaceAll("\n", "\n  ")}`;
}

/** The entries of a list. Prose without one is a single entry. */
export function items(body: string): string[] {
  if (isNone(body)) return [];
  const entries: string[][] = [];
  let indent = 0;
  for (const line of body.split("\n")) {
    const [, marker, start = ""] = /^((?:[-*+]|\d{1,9}[.)])\s+)(.*)$/s.exec(line) ?? [];
    if (marker !== undefined) {
      indent = marker.length;
      entries.push([start]);
    } else if (entries.length === 0) entries.push([line]);
    else entries.at(-1)?.push(line.slice(Math.min(indent, spacesBefore(line))));
  }
  return entries.map((lines) => lines.join("\n").trim()).filter((entry) => !isNone(entry));
}

function spacesBefore(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/** What is longer says something. */
const LONGEST_NONE = 200;

/** Also as templates have it: `**None** (if no active subagents)`. */
export function isNone(text: string): boolean {
  const said = text.trim();
  if (said.length > LONGEST_NONE) return false;
  return /^(?:[-*+]\s*)?(?:[*_]*\(?none\)?[*_.]*(?:\s+\([^()]*\)\.?)?)?$/i.test(said);
}
