import { type Paint, printable } from "./style.ts";

/** Markdown for a terminal: every character stays, so that what is copied is Markdown again. Plain where colours are off. */
export function markdown(text: string, paint: Paint): string {
  const lines = printable(text).trimEnd().split("\n");
  let fence: string | undefined;
  const inFront = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  return lines
    .map((line, index) => {
      if (index <= inFront) return paint("dim", line);
      const ticks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (ticks !== undefined && (fence === undefined || ticks.startsWith(fence))) {
        fence = fence === undefined ? ticks : undefined;
        return paint("dim", line);
      }
      return fence === undefined ? block(line, paint) : paint("cyan", line);
    })
    .join("\n");
}

function block(line: string, paint: Paint): string {
  const level = /^(#{1,6})\s/.exec(line)?.[1]?.length;
  if (level !== undefined) return paint(level <= 2 ? ["bold", "magenta"] : "bold", line);
  if (/^\s*>/.test(line)) return paint("dim", line);
  const [, bullet = "", rest = line] = /^(\s*(?:[-*+]|\d+[.)])\s)(.*)$/.exec(line) ?? [];
  return `${bullet && paint("yellow", bullet)}${inline(rest, paint)}`;
}

/** Code ends with as many backticks as it begins with, wherever they stand; bold text holds no asterisk. */
function inline(text: string, paint: Paint): string {
  const marks = [...text.matchAll(/`+|\*+/g)];
  const last = new Map(marks.map(([mark], index) => [mark, index]));
  const pieces: string[] = [];
  let shown = 0;
  for (let index = 0; index < marks.length; index++) {
    const end = closing(marks, index, last);
    if (end === undefined) continue;
    const [from, to] = [marks[index]?.index ?? 0, (marks[end]?.index ?? 0) + (marks[end]?.[0].length ?? 0)];
    pieces.push(text.slice(shown, from), paint(text[from] === "`" ? "cyan" : "bold", text.slice(from, to)));
    shown = to;
    index = end;
  }
  return pieces.join("") + text.slice(shown);
}

/** Which mark closes this one. Whether any does is known beforehand: a long line must not be searched again and again. */
function closing(
  marks: readonly RegExpExecArray[],
  index: number,
  last: ReadonlyMap<string, number>,
): number | undefined {
  const mark = marks[index]?.[0] ?? "";
  const isCode = mark.startsWith("`");
  if ((!isCode && mark !== "**") || (last.get(mark) ?? 0) <= index) return undefined;
  for (let at = index + 1; at < marks.length; at++) {
    const other = marks[at]?.[0] ?? "";
    if (other === mark) return at;
    if (!isCode && other.startsWith("*")) return undefined;
  }
  return undefined;
}
