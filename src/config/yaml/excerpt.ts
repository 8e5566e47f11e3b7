import { masked } from "../../util/printable.ts";
import { visibleLength } from "./secrets.ts";

interface Range {
  start: number;
  end: number;
}

interface Position {
  line: number;
  column: number;
}

const WIDEST = 100;
const GUTTER = 4;

export function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The line that a span starts on, with a marker under the span. Values that may be secret are left out. */
export function drawExcerpt(text: string, span: Range, shown: "line" | "up to the mark"): string {
  const lines = text.split(/\r?\n/);
  const position = positionOf(text, span.start);
  const index = position.line - 1;
  const line = lines[index] ?? "";
  const start = position.column - 1;
  const end = Math.min(line.length, start + span.end - span.start);
  const limit = Math.min(visibleLength(lines, index), shown === "line" ? line.length : end + 1);

  const hidden = line.slice(limit).trim() !== "";
  const visible = masked(line.slice(0, limit)) + (hidden ? " …" : "");
  // A mark on something that is not shown moves to the key before it.
  const marked =
    start < limit || !hidden ? { start, end: Math.min(end, limit) } : keyOf(line.slice(0, limit));

  const cut = Math.max(0, Math.min(marked.start - 20, visible.length - WIDEST));
  const tail = visible.length > cut + WIDEST ? "…" : "";
  const drawn = (cut > 0 ? "…" : "") + visible.slice(cut === 0 ? 0 : cut + 1, cut + WIDEST) + tail;
  const width = Math.max(1, Math.min(marked.end, cut + WIDEST) - marked.start);
  const number = String(position.line).padStart(GUTTER);
  const blank = " ".repeat(number.length);
  return `${number} | ${drawn}\n${blank} | ${" ".repeat(marked.start - cut)}${"^".repeat(width)}`;
}

function keyOf(prefix: string): Range {
  const start = Math.max(0, prefix.search(/[^\s-]/));
  return { start, end: prefix.trimEnd().replace(/:$/, "").length };
}
