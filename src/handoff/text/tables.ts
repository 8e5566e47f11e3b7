/** A row of a table. What stands in a cell cannot end it. */
export function tableRow(cells: readonly string[]): string {
  const safe = cells.map((cell) => cell.replace(/\s+/g, " ").trim().replaceAll("|", "\\|"));
  return `| ${safe.join(" | ")} |`;
}

interface Table {
  /** What stands around it. */
  before: string[];
  after: string[];
  /** Its titles, and the line under them. */
  head: [string, string];
  rows: string[];
}

function isDelimiter(line: string | undefined): boolean {
  return line !== undefined && /^[\s:|-]+$/.test(line) && line.includes("-");
}

function tableIn(body: string): Table | undefined {
  const lines = body.split("\n");
  const isRow = (line: string | undefined) => line?.trimStart().startsWith("|") ?? false;
  const at = lines.findIndex((line, index) => isRow(line) && isDelimiter(lines[index + 1]));
  const [titles, delimiter] = lines.slice(at, at + 2);
  if (at === -1 || titles === undefined || delimiter === undefined) return undefined;
  const rest = lines.slice(at + 2);
  const end = rest.findIndex((line) => !isRow(line));
  const rows = end === -1 ? rest : rest.slice(0, end);
  return {
    before: lines.slice(0, at),
    after: end === -1 ? [] : rest.slice(end),
    head: [titles, delimiter],
    rows,
  };
}

/**
 * A section whose table says these things now; undefined where it has no table for them. What a person wrote into it stays: a
 * row is only replaced where it has nothing but our words in its first cell and our mark in its last.
 */
export function withRows(body: string, items: readonly string[], mark: string): string | undefined {
  const table = tableIn(body);
  const columns = table ? cellsOf(table.head[0]).length : 0;
  if (!table || columns < 2) return undefined;
  const own = table.rows.filter((row) => !isOurs(cellsOf(row)));
  const said = new Set(own.map((row) => cellsOf(row)[0]));
  const empty: string[] = Array(columns - 2).fill("");
  const ours = items
    .map((item) => tableRow([item, ...empty, mark]))
    .filter((row) => !said.has(cellsOf(row)[0]));
  const isList = (line: string) => /^\s*[-*+]\s/.test(line);
  const around = (lines: string[]) => lines.filter((line) => !isList(line));
  return [...around(table.before), ...table.head, ...own, ...ours, ...around(table.after)].join("\n").trim();
}

const MARK = /^handoff \d+$/;

/** Also the empty row with which templates show how a table looks. */
function isOurs(cells: readonly string[]): boolean {
  const between = cells.slice(1, -1);
  const last = cells.at(-1) ?? "";
  if (between.some((cell) => cell !== "")) return false;
  return MARK.test(last) || (last === "" && (cells[0] ?? "") === "");
}

/** What stands in the cells, with its signs as they are written. */
function cellsOf(row: string): string[] {
  const line = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return line.split(/(?<!\\)\|/).map((cell) => cell.trim());
}
