/** Lines that say what is wrong, or where. */
const TELLING =
  /\b(?:errors?|exception|traceback|panic(?:ked)?|fatal|fail(?:ed|s|ure|ures|ing)?|assert\w*|expected|wanted|want|undefined|unresolved|cannot|can't|not found|no such)\b|(?:^|[\s("'])[\w@./+-]*\w\.[A-Za-z]\w{0,5}(?::\d+|\(\d+)/i;
/** What a logger prints when nothing is wrong. */
const LOG = /^\W*(?:\d[\d\-/:T.,Z+ ]*)?\W*(?:level=)?(?:info|debug|trace)\b/i;
/** So much of the end stands there as it was printed, at least. */
export const AS_PRINTED = 300;
/** A line that is longer is a page, a dump or minified code. */
const LONGEST_LINE = 400;
const OF_A_LINE = { head: 240, tail: 120 };
const GAP = "…";

/**
 * What a program printed, in at most so many characters and a few: its end, and of what came before that the lines that tell what
 * is wrong, the last of them first to stay. The reason of a failure often stands far above its end, in the middle of a log.
 */
export function excerpt(printed: string, most: number): string {
  if (printed.length <= AS_PRINTED) return printed;
  const before = printed.slice(0, -AS_PRINTED).split("\n").map(shortened);
  const end = printed.slice(-AS_PRINTED);
  const whole = before.join("\n");
  if (whole.length + end.length <= most) return `${whole}${end}`;
  const room = Math.max(0, most - AS_PRINTED);
  const tail = whole.slice(whole.length - Math.ceil(room / 2));
  const told = tellingLines(whole.slice(0, whole.length - tail.length).split("\n"), Math.floor(room / 2));
  return `${told}${GAP}${tail}${end}`;
}

function tellingLines(lines: readonly string[], room: number): string {
  const kept: string[] = [];
  let left = room;
  let next = lines.length;
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] ?? "";
    if (!TELLING.test(line) || LOG.test(line)) continue;
    const gap = index + 1 === next ? "" : `${GAP}\n`;
    left -= line.length + gap.length + 1;
    if (left < 0) break;
    kept.unshift(`${line}\n${gap}`);
    next = index;
  }
  return kept.join("");
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE
    ? `${line.slice(0, OF_A_LINE.head)}…${line.slice(-OF_A_LINE.tail)}`
    : line;
}
