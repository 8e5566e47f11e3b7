import { type Alphabet, afterEscape, isIn, type Runs } from "./alphabets.ts";
import { canBeSecret, type Written } from "./looks-random.ts";
import { isSecretName } from "./names.ts";
import type { Span } from "./span.ts";

const TAB = 9;
const SPACE = 32;
const DOUBLE = 34;
const SINGLE = 39;
const EQUALS = 61;
const BACKSLASH = 92;
const BRACKET = 93;
const BACKTICK = 96;

const LONGEST_NAME = 60;
const LONGEST_VALUE = 8_000;
const LONGEST_HEADER = 4_000;
/** Of a value so much is looked at; what is redacted is all of it. */
const LOOKED_AT = 200;
const QUOTES: Record<string, Alphabet> = { '"': "inDouble", "'": "inSingle", "`": "inBackticks" };

/** What stands beside a secret-looking name, at the `:` or `=` between them, in any notation. */
export function namedValueAt(runs: Runs, index: number, strict: boolean): Span | undefined {
  const { text } = runs;
  if (text.charCodeAt(index + 1) === EQUALS) return undefined;
  const name = nameBefore(runs, index);
  if (name === undefined || !isSecretName(name.text)) return undefined;
  const isQuery = /[?&]/.test(text[name.from - 1] ?? "") && text[index] === "=";
  const start = afterSpace(text, text[index + 1] === ">" ? index + 2 : index + 1);
  if (
    /^(?:proxy-)?authorization$|cookie$/i.test(name.text) &&
    (text[index] === ":" || /["'`]/.test(text[start] ?? ""))
  )
    return header(runs, start, name.text);
  if (isQuery) return query(runs, start, strict);
  const block = blockBelow(runs, name.from, start);
  if (block) return block;
  const value = valueAt(runs, start);
  // `NAME=value` of a shell; code has a space there, a small letter or a quote.
  const assigned =
    text[index] === "=" && start === index + 1 && (!value.quoted || isShouted(name.text)) && !name.member;
  const variable = assigned && isShouted(name.text);
  return isSecret(runs, value, { quoted: value.quoted, assigned, variable }) ? value : undefined;
}

/** `--token value`, at its dashes. */
export function flagAt(runs: Runs, index: number): Span | undefined {
  const { text } = runs;
  const end = runs.end("slug", index);
  if (text[end] !== " " || end - index > LONGEST_NAME || !isSecretName(text.slice(index + 2, end)))
    return undefined;
  const value = valueAt(runs, end + 1);
  if (text[value.from] === "-") return undefined;
  return isSecret(runs, value, { quoted: value.quoted, assigned: true }) ? value : undefined;
}

interface Value extends Span {
  quoted: boolean;
}

function isSecret(runs: Runs, { from, to }: Value, written: Written): boolean {
  if (to - from > LONGEST_VALUE) return false;
  const begin = runs.text.slice(from, Math.min(to, from + LOOKED_AT));
  runs.steps += begin.length;
  return canBeSecret(begin, written);
}

const isShouted = (name: string) => !/[a-z]/.test(name);

function nameBefore(runs: Runs, index: number) {
  const { text } = runs;
  let to = index;
  let last = text.charCodeAt(to - 1);
  while (to > 0 && index - to < 3 && (last === SPACE || last === TAB)) last = text.charCodeAt(--to - 1);
  if (last === BRACKET) last = text.charCodeAt(--to - 1);
  if (last === DOUBLE || last === SINGLE || last === BACKTICK) last = text.charCodeAt(--to - 1);
  while (to > 0 && index - to < 9 && last === BACKSLASH) last = text.charCodeAt(--to - 1);
  const from = afterEscape(text, runs.start("slug", to, LONGEST_NAME));
  // The shortest that says anything has three letters.
  if (to - from < 3) return undefined;
  const before = text.charCodeAt(from - 1);
  if (to - from === LONGEST_NAME && from > 0 && isIn("slug", before)) return undefined;
  return { text: text.slice(from, to), from, member: text[from - 1] === "." };
}

function afterSpace(text: string, index: number): number {
  let at = index;
  while (at < index + 20 && (text[at] === " " || text[at] === "\t")) at++;
  return at;
}

function valueAt(runs: Runs, start: number): Value {
  const { text } = runs;
  let from = start;
  while (from < start + 7 && text[from] === "\\") from++;
  const isEscaped = from > start;
  const inside = QUOTES[text[from] ?? ""];
  if (inside === undefined)
    return { from: start, to: withoutEnd(text, start, runs.end("bare", start)), quoted: false };
  from++;
  let to = runs.end(inside, from);
  // A quote within the value has a backslash before it.
  for (let more = 0; more < 8 && !isEscaped && text[to - 1] === "\\" && to < text.length; more++) {
    to = runs.end(inside, to + 1);
  }
  while (isEscaped && to > from && text[to - 1] === "\\") to--;
  return { from, to, quoted: true };
}

/** A sentence may end after it. */
function withoutEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && to - end < 3 && /[.:!?*]/.test(text[end - 1] ?? "")) end--;
  return end;
}

/** To the end of its line or of the quotes it stands in; its scheme may stay. */
function header(runs: Runs, start: number, name: string): Span | undefined {
  const { text } = runs;
  const begin = start + (/^\\{0,3}["'`]/.exec(text.slice(start, start + 4))?.[0].length ?? 0);
  if (begin < runs.headersLookedAt) return undefined;
  const line = headerLine(text.slice(begin, Math.min(runs.end("line", begin), begin + LONGEST_HEADER)));
  runs.steps += line.length;
  runs.headersLookedAt = begin + line.length;
  const scheme = /cookie/i.test(name) ? "" : (/^[A-Za-z][\w-]{1,30} +(?=\S)/.exec(line)?.[0] ?? "");
  const parts = line.slice(scheme.length).split(/[\s;,]+/);
  const values = parts.map((part) => part.slice(/^[\w.%-]{1,60}=(?!$|=)/.exec(part)?.[0].length ?? 0));
  const any = values.some(
    (part) => !/[(){}[\]<>$]/.test(part) && canBeSecret(part.replace(/\\{1,3}$/, ""), VALUE),
  );
  return any ? { from: begin + scheme.length, to: begin + line.length } : undefined;
}

/** Where nothing but a value can stand. */
const VALUE = { quoted: true, assigned: true };

/** Up to the quote that the whole header stands in; a parameter has quotes of its own: `username="me"`. */
function headerLine(text: string): string {
  let end = 0;
  while (end < text.length) {
    const letter = text[end] ?? "";
    if (letter === "\\" && /[nr]/.test(text[end + 1] ?? "")) break;
    if (/["'`]/.test(letter)) {
      const [before = ""] = /=\\{0,3}$/.exec(text.slice(Math.max(0, end - 4), end)) ?? [];
      const close = before === "" ? -1 : text.indexOf(letter, end + 1);
      if (close === -1 || close - end > 200) break;
      end = close;
    }
    end++;
  }
  return text.slice(0, end).replace(/\\{1,3}$/, "");
}

/** In the query of an address. */
function query(runs: Runs, from: number, strict: boolean): Span | undefined {
  const to = runs.end("query", from);
  const value = runs.text.slice(from, Math.min(to, from + LOOKED_AT));
  if (value === "" || value.startsWith("[redacted")) return undefined;
  return strict || canBeSecret(value, { quoted: false, assigned: true }) ? { from, to } : undefined;
}

/** A block of YAML: the lines below that are set in further than the line of its name. */
function blockBelow(runs: Runs, name: number, start: number): Span | undefined {
  const { text } = runs;
  const [opening, lineBreak = ""] =
    /^[|>][+-]?[ \t]{0,8}(\r?\n|\\n)/.exec(text.slice(start, start + 14)) ?? [];
  if (opening === undefined) return undefined;
  const begin = runs.start("quotedLine", name, 100);
  const indent = afterSpace(text, begin) - begin;
  const from = afterSpace(text, start + opening.length);
  const sample = text.slice(from, Math.min(runs.end("bare", from), from + LOOKED_AT));
  if (!canBeSecret(sample, VALUE)) return undefined;
  let to = from;
  let line = start + opening.length;
  for (let lines = 0; lines < 200 && line < text.length && to - from < LONGEST_VALUE; lines++) {
    const first = afterSpace(text, line);
    if (first === line || first - line <= (lineBreak === "\\n" ? 0 : indent)) break;
    to = runs.end(lineBreak === "\\n" ? "bare" : "line", first);
    if (!text.startsWith(lineBreak, to)) break;
    line = to + lineBreak.length;
  }
  return to > from ? { from, to } : undefined;
}
