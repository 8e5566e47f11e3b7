import { oneLine } from "./style.ts";
import { fitted, widthOf } from "./width.ts";

export interface Column<Row> {
  title: string;
  text: (row: Row) => string;
  align?: "left" | "right";
  /** Paints what `text` said, spaces included. */
  paint?: (row: Row, text: string) => string;
}

const GAP = "  ";
const LEAST_FOR_LAST = 20;

/** Rows under their titles, each cell on one line, each column as wide as its widest cell. The last is cut to what is left of `width`. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string[] {
  const last = columns.length - 1;
  const cells = rows.map((row) => columns.map(({ text }) => oneLine(text(row))));
  const widths = columns.map(({ title }, at) =>
    cells.reduce((widest, texts) => Math.max(widest, widthOf(texts[at] ?? "")), widthOf(title)),
  );
  const before = widths.slice(0, last).reduce((sum, column) => sum + column + GAP.length, 0);
  const room = Math.max(LEAST_FOR_LAST, width - before);
  const cell = (text: string, at: number, align: "left" | "right" = "left") => {
    if (at === last) return fitted(text, room);
    const spaces = " ".repeat((widths[at] ?? 0) - widthOf(text));
    return align === "left" ? text + spaces : spaces + text;
  };
  const title = columns.map((column, at) => cell(column.title, at, column.align)).join(GAP);
  const lines = rows.map((row, index) =>
    columns
      .map(({ align, paint }, at) => {
        const shown = cell(cells[index]?.[at] ?? "", at, align);
        return paint ? paint(row, shown) : shown;
      })
      .join(GAP),
  );
  return [title, ...lines];
}
