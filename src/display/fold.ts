import { paintedApart, unpainted } from "./style.ts";
import { widthOf } from "./width.ts";

/** How wide words may run, or undefined where they go to a file or a program, which get them as they are. */
export function screenWidth({
  isTTY,
  columns,
}: Pick<NodeJS.WriteStream, "isTTY" | "columns">): number | undefined {
  return isTTY && columns ? columns : undefined;
}

const LEAST = 8;

/**
 * Painted text with its lines broken between words. `hang`: how far the lines that follow a broken one stand to the right, besides its own
 * indent. A word that is wider than a line stays whole: it is an address or a path, and the terminal breaks it where it can be copied.
 */
export function folded(text: string, width: number | undefined, hang = 0): string {
  if (width === undefined) return text;
  return text
    .split("\n")
    .flatMap((line) => foldedLine(line, width, hang))
    .join("\n");
}

function foldedLine(line: string, width: number, hang: number): string[] {
  const shown = unpainted(line);
  if (widthOf(shown) <= width) return [line];
  const indent = (/^ */.exec(shown)?.[0].length ?? 0) + hang;
  const margin = " ".repeat(indent + LEAST <= width ? indent : 0);
  const [first = "", ...rest] = paintedApart(brokenLines(line, width, margin.length));
  return [first, ...rest.map((each) => margin + each)];
}

/** Painted text in lines of at most this width. `margin`: what the lines after the first have less. */
export function brokenLines(text: string, width: number, margin = 0): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  let isEmpty = true;
  for (const { glue, text: unit } of unitsOf(text)) {
    const columns = widthOf(unpainted(unit));
    const room = lines.length === 0 ? width : width - margin;
    if (isEmpty && lines.length > 0) {
      // Spaces at a break are gone with it.
      [line, used] = [unit, columns];
      isEmpty = columns === 0;
      continue;
    }
    if (isEmpty || used + glue.length + columns <= room) {
      line += glue + unit;
      used += glue.length + columns;
    } else {
      lines.push(line.trimEnd());
      [line, used] = [unit, columns];
      isEmpty = true;
    }
    // An indent alone is no line.
    if (columns > 0) isEmpty = false;
  }
  return [...lines, line];
}

interface Unit {
  /** What stands before it on the same line. */
  glue: string;
  text: string;
}

/** What stays together: words, and of a script that has no spaces each character, with the signs that must not begin a line. */
function* unitsOf(text: string): Generator<Unit> {
  for (const [index, word] of text.split(" ").entries()) {
    const parts = (IDEOGRAPH.test(word) && word.match(APART)) || [word];
    for (const [at, part] of parts.entries()) yield { glue: index > 0 && at === 0 ? " " : "", text: part };
  }
}

const IDEOGRAPH = /[\u3040-\u30ff\u3400-\u9fff\u{20000}-\u{3ffff}]/u;
const APART =
  /[\u3040-\u30ff\u3400-\u9fff\u{20000}-\u{3ffff}][\u3001\u3002\u300d\u300f\uff01\uff09\uff0c\uff1a\uff1b\uff1f]*|[^\u3040-\u30ff\u3400-\u9fff\u{20000}-\u{3ffff}]+/gu;
