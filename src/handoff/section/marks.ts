import { joinedLines, longestRun } from "../../util/text.ts";
import { bullet } from "../text/lists.ts";

/** A command or a path that stands in a line. */
const INLINE = 200;

/** A part of a section, or nothing where it has no body. */
export function part(title: string, body: string): string {
  return body === "" ? "" : `### ${title}\n\n${body}`;
}

export function list(items: readonly string[]): string {
  return items.map(bullet).join("\n");
}

export function shortList(items: readonly string[], most: number, where = ""): string {
  const rest = items.length - most;
  return list(rest > 0 ? [...items.slice(0, most), `… ${rest} more${where}`] : items);
}

export function shortLines(lines: readonly string[], most: number): string {
  const rest = lines.length - most;
  return (rest > 0 ? [...lines.slice(0, most), `… ${rest} more`] : lines).join("\n");
}

export function isInline(text: string): boolean {
  return text.length <= INLINE && !text.includes("\n");
}

/** One line of code, whatever it holds. */
export function code(text: string): string {
  const line = joinedLines(text, " ⏎ ");
  const shown = line.length > INLINE ? `${line.slice(0, INLINE - 1)}…` : line;
  return shown.includes("`") ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

export function fence(text: string): string {
  const ticks = "`".repeat(Math.max(2, longestRun(text, "`")) + 1);
  return `${ticks}\n${text}\n${ticks}`;
}
