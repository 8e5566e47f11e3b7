import { brokenLines } from "../fold.ts";
import { type Paint, paintedApart, unpainted } from "../style.ts";
import { widthOf } from "../width.ts";
import { inline } from "./inline.ts";

const GAP = "  ";
/** Narrower, a column would be a heap of broken words. */
const LEAST = 8;

type Align = "left" | "right" | "center";

export interface MarkdownTable {
  aligns: readonly Align[];
  /** The titles first. */
  rows: readonly (readonly string[])[];
}

/** The cells of a row: `\|` is no border, nor is a `|` in code. */
export function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "");
  const cells = [""];
  let ticks = false;
  for (let at = 0; at < inner.length; at++) {
    const sign = inner[at] ?? "";
    if (sign === "\\" && inner[at + 1] === "|") {
      cells[cells.length - 1] += "|";
      at++;
    } else if (sign === "|" && !ticks) cells.push("");
    else {
      if (sign === "`") ticks = !ticks && inner.indexOf("`", at + 1) !== -1;
      cells[cells.length - 1] += sign;
    }
  }
  if (cells.at(-1)?.trim() === "") cells.pop();
  return cells.map((cell) => cell.trim());
}

/** The line below the titles, as how each column is set. */
export function alignsOf(line: string): Align[] | undefined {
  if (!/^[\s|:-]+$/.test(line) || !line.includes("-") || !line.includes("|")) return undefined;
  const cells = cellsOf(line);
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left"));
}

/** Columns side by side, with long cells broken; one row below the other, with titles, where they do not fit. */
export function tableLines({ aligns, rows }: MarkdownTable, width: number, paint: Paint): string[] {
  const cells = rows.map((row) => aligns.map((_, at) => inline(row[at] ?? "", paint)));
  const wanted = aligns.map((_, at) => Math.max(1, ...cells.map((row) => widthOf(unpainted(row[at] ?? "")))));
  const widths = narrowed(wanted, width);
  if (widths === undefined) return asRecords(cells, paint);
  const [titles = [], ...body] = cells;
  const line = (row: readonly string[], format?: "bold") => rowLines(row, widths, aligns, paint, format);
  const rule = paint("dim", widths.map((columns) => "─".repeat(columns)).join(GAP));
  return [...line(titles, "bold"), rule, ...body.flatMap((row) => line(row))];
}

function narrowed(wanted: readonly number[], width: number): number[] | undefined {
  const room = width - GAP.length * (wanted.length - 1);
  const widths = [...wanted];
  for (let over = widths.reduce((sum, each) => sum + each, 0) - room; over > 0; over--) {
    const widest = Math.max(...widths);
    if (widest <= LEAST) return undefined;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

function rowLines(
  row: readonly string[],
  widths: readonly number[],
  aligns: readonly Align[],
  paint: Paint,
  format?: "bold",
): string[] {
  const columns = row.map((cell, at) => paintedApart(brokenLines(cell, widths[at] ?? 1)));
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) =>
    columns
      .map((lines, at) => {
        const text = lines[index] ?? "";
        return set(format ? paint(format, text) : text, widths[at] ?? 0, aligns[at] ?? "left");
      })
      .join(GAP)
      .trimEnd(),
  );
}

function set(text: string, width: number, align: Align): string {
  const spare = Math.max(0, width - widthOf(unpainted(text)));
  const before = align === "left" ? 0 : align === "right" ? spare : Math.floor(spare / 2);
  return `${" ".repeat(before)}${text}${" ".repeat(spare - before)}`;
}

function asRecords(cells: readonly (readonly string[])[], paint: Paint): string[] {
  const [titles = [], ...body] = cells;
  return body.flatMap((row, index) => [
    ...(index > 0 ? [""] : []),
    ...row.flatMap((cell, at) => (cell === "" ? [] : [`${paint("bold", titles[at] ?? "")}: ${cell}`])),
  ]);
}
