import { withoutEnding } from "../../util/text.ts";

/** A part of a document under a heading of the second level. */
export interface Section {
  title: string;
  body: string;
}

/** A text to be written, with one kind of line end: whoever reads it sees lines where it has them. */
export function withPlainLines(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029]/g, "\n");
}

/** Splits at headings that do not stand in a code block. Rules between sections belong to none of them. */
export function sectionsOf(markdown: string): Section[] {
  const [, ...sections] = piecesOf(markdown);
  return sections.map(({ title, lines: [, ...lines] }) => ({ title, body: withoutRules(lines) }));
}

/** A part of a document with its heading, as it is written. What stands before the first heading has no title. */
interface Piece {
  title: string;
  lines: string[];
}

/** Splits in the same places, and leaves nothing out. Facts quote people byte for byte, so no other sign than `\n` begins a line here. */
export function piecesOf(markdown: string): [Piece, ...Piece[]] {
  const code = new CodeBlocks();
  const first: Piece = { title: "", lines: [] };
  const pieces: [Piece, ...Piece[]] = [first];
  for (const line of markdown
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .split("\n")) {
    const title = code.holds(line) ? "" : titleIn(line);
    if (title !== "") pieces.push({ title, lines: [line] });
    else (pieces.at(-1) ?? first).lines.push(line);
  }
  return pieces;
}

/** With these words in bold, some tools begin a part without a heading: it would end up in the section before it. */
const INSTRUCTIONS =
  "\\*\\*(?:instructions for (?:the )?(?:new|next) (?:instance|session))\\s*:?\\*\\*:?\\s*$";
const BEGINS_INSTRUCTIONS = new RegExp(`^${INSTRUCTIONS}`, "i");

function titleIn(line: string): string {
  if (/^##\s/.test(line)) return titled(line.slice("##".length));
  return BEGINS_INSTRUCTIONS.test(line) ? line.replace(/[*:]/g, "").trim() : "";
}

/** A title as a heading shows it: one line, without the signs that may close a heading. */
export function titled(text: string): string {
  const line = withPlainLines(text).replace(/\s+/g, " ").trim();
  const end = line.indexOf(" ", withoutEnding(line, "# ").length);
  return end === -1 ? line : line.slice(0, end);
}

const RULE = /^(?:-{3,}|\*{3,}|_{3,})[ \t]*$/;

function withoutRules(lines: readonly string[]): string {
  const isNothing = (line: string | undefined) =>
    line !== undefined && (line.trim() === "" || RULE.test(line));
  let [start, end] = [0, lines.length];
  while (start < end && isNothing(lines[start])) start += 1;
  while (end > start && isNothing(lines[end - 1])) end -= 1;
  return lines.slice(start, end).join("\n").trim();
}

/** What in a text would begin a section of the document, or would be taken for the end of one. */
const ACTS = `(?:#{1,2}(?:\\s|$)|(?:-{3,}|\\*{3,}|_{3,})[ \\t]*$|${INSTRUCTIONS})`;
const TO_ESCAPE = new RegExp(`^\\\\*${ACTS}`, "i");
const ESCAPED = new RegExp(`^\\\\+${ACTS}`, "i");

/** A text as the body of a section: nothing in it acts on the document, and a code block that was cut is closed. */
export function escaped(text: string): string {
  const code = new CodeBlocks();
  const lines = withPlainLines(text)
    .trim()
    .split("\n")
    .map((line) => (!code.holds(line) && TO_ESCAPE.test(line) ? `\\${line}` : line));
  return [...lines, ...(code.open ?? [])].join("\n");
}

export function unescaped(body: string): string {
  const code = new CodeBlocks();
  return body
    .split("\n")
    .map((line) => (!code.holds(line) && ESCAPED.test(line) ? line.slice(1) : line))
    .join("\n");
}

/** Told one line after the other. Only blocks at the beginning of a line count: those in a list are indented like all of it. */
class CodeBlocks {
  #fence: string | undefined;

  holds(line: string): boolean {
    if (this.#fence === undefined) {
      this.#fence = /^(`{3,})[^`]*$/.exec(line)?.[1] ?? /^(~{3,})/.exec(line)?.[1];
      return this.#fence !== undefined;
    }
    const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
    if (closing?.startsWith(this.#fence)) this.#fence = undefined;
    return true;
  }

  /** What closes the block that the last line left open. */
  get open(): [string] | undefined {
    return this.#fence === undefined ? undefined : [this.#fence];
  }
}
