import { type Alphabet, isIn, type Runs } from "./alphabets.ts";
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
  return isSecret(runs, value, { quoted: value.quoted, assigned }) ? value : undefined;
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

function isSecret({ text }: Runs, { from, to }: Value, written: Written): boolean {
  return to - from <= LONGEST_VALUE && canBeSecret(text.slice(from, Math.min(to, from + LOOKED_AT)), written);
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
  const from = runs.start("slug", to, LONGEST_NAME);
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
  const to = runs.end("quotedLine", begin);
  if (to - begin > LONGEST_VALUE) return undefined;
  const line = text.slice(begin, Math.min(to, begin + 2_000));
  runs.steps += line.length;
  const scheme = /cookie/i.test(name) ? "" : (/^[A-Za-z][\w-]{1,30} +(?=\S)/.exec(line)?.[0] ?? "");
  const parts = line.slice(scheme.length).split(/[\s;,]+/);
  const values = parts.map((part) => part.slice(/^[\w.%-]{1,60}=(?!$|=)/.exec(part)?.[0].length ?? 0));
  const any = values.some(
    (part) => !/[(){}[\]<>$]/.test(part) && canBeSecret(part.replace(/\\+$/, ""), HEADER),
  );
  return any ? { from: begin + scheme.length, to: withoutSlashes(text, begin, to) } : undefined;
}

const HEADER = { quoted: true, assigned: true };

function withoutSlashes(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text[end - 1] === "\\") end--;
  return end;
}

/** In the query of an address. */
function query(runs: Runs, from: number, strict: boolean): Span | undefined {
  const to = runs.end("query", from);
  const value = runs.text.slice(from, Math.min(to, from + LOOKED_AT));
  if (value === "" || value.startsWith("[redacted")) return undefined;
  return strict || canBeSecret(value, { quoted: false, assigned: true }) ? { from, to } : undefined;
}

/** A block of YAML: the lines below that are set in further than its name. */
function blockBelow(runs: Runs, name: number, start: number): Span | undefined {
  const { text } = runs;
  const [opening] = /^[|>][+-]?[ \t]{0,8}\r?\n/.exec(text.slice(start, start + 14)) ?? [];
  if (opening === undefined) return undefined;
  const from = start + opening.length;
  const indent = name - runs.start("line", name, 100);
  let to = from;
  for (let lines = 0; lines < 200 && to < text.length; lines++) {
    const line = afterSpace(text, to);
    if (line - to <= indent) break;
    const end = runs.end("line", line);
    to = text[end] === "\r" ? end + 2 : end + 1;
  }
  const first = afterSpace(text, from);
  const sample = text.slice(first, Math.min(runs.end("solid", first), first + LOOKED_AT));
  if (to <= from || to - from > LONGEST_VALUE) return undefined;
  return canBeSecret(sample, { quoted: true, assigned: true })
    ? { from: first, to: Math.min(to - 1, text.length) }
    : undefined;
}
