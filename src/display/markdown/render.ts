import { withoutEnding } from "../../util/text.ts";
import { brokenLines, folded } from "../fold.ts";
import { type Paint, paintedApart, printable, unpainted } from "../style.ts";
import { widthOf } from "../width.ts";
import { inline } from "./inline.ts";
import { alignsOf, cellsOf, tableLines } from "./table.ts";

const CODE_INDENT = "  ";
const LONGEST_RULE = 40;
const LEAST_WIDTH = 20;

/**
 * Markdown as a terminal of this width shows it best: marks become paint, tables are set, words are wrapped, code is not. Line breaks
 * stay where the author made them. Without a width the text goes to a file or a program, and stays as it is.
 */
export function rendered(text: string, paint: Paint, width: number | undefined): string {
  const clean = printable(text).trim();
  if (width === undefined) return clean;
  return linesOf(clean.split("\n"), paint, Math.max(LEAST_WIDTH, width)).join("\n");
}

function linesOf(source: readonly string[], paint: Paint, width: number): string[] {
  const lines: string[] = [];
  for (let at = 0; at < source.length; ) {
    const line = source[at] ?? "";
    const fence = fenceIn(line);
    if (fence !== undefined) {
      const end = endOfCode(source, at, fence);
      const margin = /^ */.exec(line)?.[0] ?? "";
      for (const each of source.slice(at + 1, end)) {
        lines.push(`${margin}${CODE_INDENT}${paint("cyan", without(each, margin.length))}`);
      }
      at = end + 1;
      continue;
    }
    const aligns = line.includes("|") ? alignsOf(source[at + 1] ?? "") : undefined;
    if (aligns !== undefined && aligns.length === cellsOf(line).length) {
      const rows = [cellsOf(line)];
      for (at += 2; (source[at] ?? "").includes("|"); at++) rows.push(cellsOf(source[at] ?? ""));
      lines.push(...tableLines({ aligns, rows }, width, paint).map((each) => folded(each, width, 2)));
      continue;
    }
    lines.push(...lineOf(line, paint, width));
    at++;
  }
  return lines;
}

/** What a block of code begins with, and what ends it. */
function fenceIn(line: string): string | undefined {
  return /^\s*(`{3,}|~{3,})[^`]*$/.exec(line)?.[1];
}

/** Of a block that nobody closes, the end of all. */
function endOfCode(source: readonly string[], from: number, fence: string): number {
  for (let at = from + 1; at < source.length; at++) {
    const line = (source[at] ?? "").trim();
    if (line.startsWith(fence) && line.replaceAll(fence.charAt(0), "") === "") return at;
  }
  return source.length;
}

function without(line: string, spaces: number): string {
  return line.replace(new RegExp(`^ {0,${spaces}}`), "");
}

const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^\s*>\s?(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/;

/** Deeper than anybody quotes. */
const DEEPEST_QUOTE = 5;

function lineOf(line: string, paint: Paint, width: number, quotes = 0): string[] {
  const [, marks, heading = ""] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    const words = unpainted(inline(withoutEnding(heading.trimEnd(), "#").trimEnd(), paint));
    return wordLines(paint(marks.length <= 2 ? ["bold", "magenta"] : "bold", words), "", "", width);
  }
  if (RULE.test(line)) return [paint("dim", "─".repeat(Math.min(width, LONGEST_RULE)))];
  const quoted = QUOTE.exec(line)?.[1];
  if (quoted !== undefined && quotes < DEEPEST_QUOTE) {
    const bar = paint("dim", "│ ");
    return lineOf(quoted, paint, Math.max(LEAST_WIDTH, width - 2), quotes + 1).map((each) => bar + each);
  }
  const [, indent = "", bullet, box, item = ""] = ITEM.exec(line) ?? [];
  if (bullet !== undefined) {
    const sign = box === undefined ? (/\d/.test(bullet) ? bullet : "•") : box === " " ? "☐" : "☑";
    const margin = indent.replaceAll("\t", "  ");
    const hang = " ".repeat(margin.length + widthOf(sign) + 1);
    return wordLines(inline(item, paint), `${margin}${paint("yellow", sign)} `, hang, width);
  }
  const [indentOfText = ""] = /^\s*/.exec(line) ?? [];
  const margin = indentOfText.replaceAll("\t", "  ");
  return wordLines(inline(line.trim(), paint), margin, margin, width);
}

/** Words after a lead, and the lines that they run on to after a hang of the same width. */
function wordLines(words: string, lead: string, hang: string, width: number): string[] {
  const room = Math.max(LEAST_WIDTH, width - widthOf(unpainted(lead)));
  return paintedApart(brokenLines(words, room)).map((line, at) => (at === 0 ? lead : hang) + line);
}
