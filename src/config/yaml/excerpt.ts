import { masked } from "../../util/printable.ts";
import { visibleLengths } from "./secrets.ts";
import type { SourceFile, Span } from "./source.ts";

type Range = Pick<Span, "start" | "end">;

interface Position {
  line: number;
  column: number;
}

const WIDEST = 100;
const GUTTER = 4;

interface Lines {
  texts: string[];
  /** Where each begins. */
  starts: number[];
  /** How much of each may be shown. */
  visible: number[];
}

/** Of each file once: a file can have thousands of places to tell of. */
const known = new WeakMap<SourceFile, Lines>();

function linesOf(file: SourceFile): Lines {
  const found = known.get(file);
  if (found) return found;
  const starts = [0];
  for (let at = file.text.indexOf("\n"); at !== -1; at = file.text.indexOf("\n", at + 1)) starts.push(at + 1);
  const texts = file.text.split(/\r?\n/);
  const lines = { texts, starts, visible: visibleLengths(texts) };
  known.set(file, lines);
  return lines;
}

export function positionOf(file: SourceFile, offset: number): Position {
  const { starts } = linesOf(file);
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** The line that a span starts on, with a marker under the span. Values that may be secret are left out. */
export function drawExcerpt(span: Span, shown: "line" | "up to the mark"): string {
  const lines = linesOf(span.file);
  const position = positionOf(span.file, span.start);
  const index = position.line - 1;
  const line = lines.texts[index] ?? "";
  const start = position.column - 1;
  const end = Math.min(line.length, start + span.end - span.start);
  const limit = Math.min(lines.visible[index] ?? 0, shown === "line" ? line.length : end + 1);

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
