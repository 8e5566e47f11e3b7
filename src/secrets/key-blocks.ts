import { afterEscape, type Runs } from "./alphabets.ts";
import type { Span } from "./span.ts";

/** A private key of 16,384 bits has 12,800 characters. What is longer between two lines is not one key. */
const LONGEST = 20_000;
const LABEL = /^-----(BEGIN|END) (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/;
const LONGEST_LABEL = 80;
const END = "-----END ";
const PUTTY = /^Private-Lines: \d/;

/** Private keys of every kind, with all between their first line and their last, also where one of the two was cut off. */
export class KeyBlocks {
  readonly #runs: Runs;
  #end: number | undefined;

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  at(index: number, after: number): Span | undefined {
    const { text } = this.#runs;
    if (text[index] === "P") {
      const isKey = PUTTY.test(text.slice(index, index + 20));
      return isKey ? this.#lines(index, this.#runs.end("line", index)) : undefined;
    }
    if (!text.startsWith("-----BEGIN ", index) && !text.startsWith(END, index)) return undefined;
    const [label, kind] = LABEL.exec(text.slice(index, index + LONGEST_LABEL)) ?? [];
    if (label === undefined) return undefined;
    if (kind === "END") return { from: this.#before(index, after), to: index + label.length };
    // A program that looks for keys has the line alone, in quotes.
    if (
      afterBreak(text, index + label.length) === index + label.length &&
      !/\s/.test(text[index + label.length] ?? "")
    )
      return undefined;
    const end = this.#endAfter(index);
    if (end !== undefined && end - index <= LONGEST) {
      const [last = ""] = LABEL.exec(text.slice(end, end + LONGEST_LABEL)) ?? [];
      return { from: index, to: end + (last.length || END.length) };
    }
    return this.#lines(index, index + label.length);
  }

  /** Looked for once for all that stand before it. */
  #endAfter(index: number): number | undefined {
    if (this.#end === undefined || (this.#end < index && this.#end !== -1)) {
      this.#end = this.#runs.text.indexOf(END, index);
      this.#runs.steps += (this.#end === -1 ? this.#runs.text.length : this.#end) - index;
    }
    return this.#end === -1 ? undefined : this.#end;
  }

  /** From a first line on, all that can be the body of a key. */
  #lines(from: number, head: number): Span {
    const { text } = this.#runs;
    let to = head;
    const most = Math.min(text.length, head + LONGEST);
    while (to < most) {
      const start = afterBreak(text, to);
      if (start === to) break;
      const end = this.#runs.end("base64", start);
      const isHeader = /^(?:Proc-Type|DEK-Info|Version|Comment|Hash): /.test(text.slice(start, start + 12));
      const last = isHeader ? this.#runs.end("quotedLine", start) : end;
      if (last === start && afterBreak(text, start) === start) break;
      if (!isHeader && !isEndOfLine(text, end)) break;
      to = last;
    }
    return { from, to };
  }

  /** The body before a last line whose first one is missing. */
  #before(index: number, after: number): number {
    const { text } = this.#runs;
    let from = index;
    const least = Math.max(after, index - LONGEST);
    while (from > least) {
      const end = beforeBreak(text, from);
      if (end === from) break;
      const begin = this.#runs.start("base64", end, Math.max(0, end - least));
      if (begin === end) break;
      const start = afterEscape(text, begin);
      from = start;
      if (start > least && beforeBreak(text, start) === start) break;
    }
    return Math.max(from, after);
  }
}

/** Past the break of a line, written out or as a program escapes it, and the space that the next line is set in by. */
function afterBreak(text: string, index: number): number {
  let at = index;
  while (text[at] === " " || text[at] === "\t") at++;
  if (text.startsWith("\\r", at)) at += 2;
  if (text[at] === "\r") at++;
  if (text[at] === "\n") at++;
  else if (text.startsWith("\\n", at)) at += 2;
  else if (text.startsWith("\\\\n", at)) at += 3;
  else return index;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

function isEndOfLine(text: string, index: number): boolean {
  return index === text.length || /["'`,\s\\]/.test(text[index] ?? "");
}

function beforeBreak(text: string, index: number): number {
  let at = index;
  while (at > 0 && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  if (text[at - 1] === "\n") at--;
  else if (text[at - 1] === "n" && text[at - 2] === "\\") at -= text[at - 3] === "\\" ? 3 : 2;
  else return index;
  if (text[at - 1] === "\r") at--;
  return at;
}
