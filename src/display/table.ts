import { oneLine } from "./style.ts";
import { fitted, widthOf } from "./width.ts";

export interface Column<Row> {
  title: string;
  text: (row: Row) => string;
  align?: "left" | "right";
  /** Paints what `text` said, spaces included. */
  paint?: (row: Row, text: string) => string;
  /** Where there is not enough room, the column goes, the one with the largest number first. Without it, it stays. */
  spare?: number;
}

interface TableOptions {
  /** `below`: in a line of its own where it does not fit beside the others, because a part of it is of no use. */
  last?: "cut" | "below";
}

const GAP = "  ";
const LEAST_FOR_LAST = 20;
const LEAST_FOR_ANY = 6;

/** Where the output goes to a file or a program. */
const WITHOUT_TERMINAL = 120;

/** How wide a table may be. */
export function tableWidth({ isTTY, columns }: Pick<NodeJS.WriteStream, "isTTY" | "columns">): number {
  return isTTY && columns ? columns : WITHOUT_TERMINAL;
}

/**
 * Rows under their titles, each cell on one line, each column as wide as its widest cell; no line is wider than `width`. Columns that can be
 * spared go first, then the last is cut, then the widest of the others.
 */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  { last = "cut" }: TableOptions = {},
): string[] {
  const all = measured(rows, columns);
  const final = all.at(-1);
  if (last === "below" && final && all.length > 1 && totalOf(all) > width) {
    const above = laidOut(rows, narrowed(all.slice(0, -1), width), width);
    const [title = "", ...lines] = above;
    const below = final.cells.map((text, at) => painted(final, rows[at], text));
    return [title, ...lines.flatMap((line, at) => [line, `${GAP}${below[at]}`])];
  }
  return laidOut(rows, narrowed(all, width), width);
}

interface Measured<Row> extends Column<Row> {
  width: number;
  cells: string[];
}

function measured<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Measured<Row>[] {
  return columns.map((column) => {
    const cells = rows.map((row) => oneLine(column.text(row)));
    return { ...column, cells, width: Math.max(widthOf(column.title), ...cells.map(widthOf)) };
  });
}

function totalOf(columns: readonly { width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));
}

/** What is left of the columns, with what is left of their widths. */
function narrowed<Row>(columns: readonly Measured<Row>[], width: number): Measured<Row>[] {
  const left = [...columns];
  const enough = () => {
    const final = left.at(-1);
    return final ? totalOf(left) - final.width + Math.min(final.width, LEAST_FOR_LAST) <= width : true;
  };
  while (!enough()) {
    const spared = left.reduce((most, column) => ((column.spare ?? 0) > (most.spare ?? 0) ? column : most));
    if (spared.spare === undefined) break;
    left.splice(left.indexOf(spared), 1);
  }
  while (!enough()) {
    const others = left.slice(0, -1).filter((column) => column.width > LEAST_FOR_ANY);
    const [first, ...rest] = others;
    if (!first) break;
    const widest = rest.reduce((most, column) => (column.width > most.width ? column : most), first);
    left[left.indexOf(widest)] = { ...widest, width: widest.width - 1 };
  }
  return left;
}

function laidOut<Row>(rows: readonly Row[], columns: readonly Measured<Row>[], width: number): string[] {
  const last = columns.length - 1;
  const before = totalOf(columns) - (columns[last]?.width ?? 0);
  const room = Math.max(1, width - before);
  const cell = ({ width: wide, align = "left" }: Measured<Row>, text: string, at: number) => {
    if (at === last && align === "left") return fitted(text, room);
    const most = at === last ? Math.min(wide, room) : wide;
    const shown = fitted(text, most);
    const spaces = " ".repeat(most - widthOf(shown));
    return align === "left" ? shown + spaces : spaces + shown;
  };
  const title = columns.map((column, at) => cell(column, column.title, at)).join(GAP);
  const lines = rows.map((row, index) =>
    columns.map((column, at) => painted(column, row, cell(column, column.cells[index] ?? "", at))).join(GAP),
  );
  return [title, ...lines];
}

function painted<Row>({ paint }: Column<Row>, row: Row | undefined, text: string): string {
  return paint && row !== undefined ? paint(row, text) : text;
}
