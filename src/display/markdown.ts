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

function inline(text: string, paint: Paint): string {
  return text
    .split(/((`+)(?!`)[^`](?:.*?[^`])?\2(?!`)|\*\*[^*]+\*\*)/)
    .filter((_, index) => index % 3 !== 2)
    .map((piece, index) => {
      if (index % 2 === 0) return piece;
      return piece.startsWith("`") ? paint("cyan", piece) : paint("bold", piece);
    })
    .join("");
}
