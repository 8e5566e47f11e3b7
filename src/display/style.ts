import { styleText } from "node:util";
import { printable } from "../util/printable.ts";

export { oneLine, printable } from "../util/printable.ts";

export type Format = Parameters<typeof styleText>[0];

/** Paints text, or leaves it as it is. What it returns is for `onScreen` only. */
export type Paint = (format: Format, text: string) => string;

export const plain: Paint = (_format, text) => text;

export const coloured: Paint = (format, text) => {
  const { left, right } = codesOf(format);
  return left + text + right;
};

/** NO_COLOR and FORCE_COLOR win; else a terminal gets colours. */
export function paintFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  if (env.NO_COLOR) return plain;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== "0") return coloured;
  return stream.isTTY && env.TERM !== "dumb" ? coloured : plain;
}

/** A text as a terminal gets it: of all that would act there, only what Baton painted itself. */
export function onScreen(text: string): string {
  if (mark === undefined) return printable(text);
  const [first = "", ...painted] = text.split(mark);
  return printable(first) + painted.map(withCode).join("");
}

function withCode(piece: string): string {
  const code = /^\d+(?:;\d+)*m/.exec(piece)?.[0] ?? "";
  return `${code && `${CSI}${code}`}${printable(piece.slice(code.length))}`;
}

/** Painted text without its paint: what takes columns on screen. */
export function unpainted(text: string): string {
  if (mark === undefined) return text;
  const [first = "", ...painted] = text.split(mark);
  return first + painted.map((piece) => piece.replace(CODE, "")).join("");
}

/** The same lines, each with all of its own paint: one can be shown without those around it. */
export function paintedApart(lines: readonly string[]): string[] {
  if (mark === undefined) return [...lines];
  let open: string[] = [];
  return lines.map((line) => {
    const before = open;
    open = openAfter(line, open);
    return `${codes(before)}${line}${codes(open.map(endOf).reverse())}`;
  });
}

/** The codes that hold at the end of a line. */
function openAfter(line: string, before: readonly string[]): string[] {
  let open = [...before];
  for (const piece of line.split(mark ?? "").slice(1)) {
    const code = CODE.exec(piece)?.[0];
    if (code === undefined) continue;
    if (endOf(code) === undefined) open = open.filter((each) => endOf(each) !== code);
    else open.push(code);
  }
  return open;
}

function codes(list: readonly (string | undefined)[]): string {
  return list.map((code) => (code === undefined ? "" : `${mark}${code}`)).join("");
}

const CODE = /^\d+m/;

/** The code that ends what this one begins, or undefined where it ends something itself. */
function endOf(code: string): string | undefined {
  const figure = Number.parseInt(code, 10);
  if (figure === 1 || figure === 2) return "22m";
  if (figure === 3 || figure === 4 || figure === 7 || figure === 9) return `${figure + 20}m`;
  return (figure >= 30 && figure <= 37) || (figure >= 90 && figure <= 97) ? "39m" : undefined;
}

const CSI = "\u001b[";

/**
 * Stands in painted text where a terminal gets CSI. Nothing from outside can contain it: it is another one in every process
 * and never printed, and of code points that `printable` removes.
 */
let mark: string | undefined;
const NO_CHARACTERS = 0xfdd0;

function newMark(): string {
  const random = crypto.getRandomValues(new Uint8Array(20));
  return String.fromCharCode(...random.map((byte) => byte % 32)).replace(/[\s\S]/g, (unit) =>
    String.fromCharCode(NO_CHARACTERS + unit.charCodeAt(0)),
  );
}

interface Codes {
  left: string;
  right: string;
}

const known = new Map<string, Codes>();

function codesOf(format: Format): Codes {
  const key = String(format);
  const found = known.get(key);
  if (found) return found;
  mark ??= newMark();
  const [left = "", right = ""] = styleText(format, "\n", { validateStream: false })
    .replaceAll(CSI, mark)
    .split("\n");
  const codes = { left, right };
  known.set(key, codes);
  return codes;
}
