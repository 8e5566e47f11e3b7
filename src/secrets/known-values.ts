import { isSecretVariable } from "./names.ts";
import type { Span } from "./span.ts";

const SHORTEST = 8;
/** A line of a value of several that is long enough to be known by itself. */
const SHORTEST_LINE = 16;
const SHORTEST_ENCODED = 10;

interface Form {
  text: string;
  name: string;
}

/** The values of secret-looking variables, in every form in which programs print them. */
export class KnownValues {
  /** By the hash of two characters, so that at most places of a text nothing has to be compared. */
  readonly #byPair: (Form[] | undefined)[] = [];
  readonly #pairs = new Uint8Array(1 << 16);
  readonly #withSpace: string[];
  readonly #isEmpty: boolean;

  constructor(env: Readonly<Record<string, string>>) {
    const forms = Object.entries(env)
      .filter(([name, value]) => value.length >= SHORTEST && isSecretVariable(name, value))
      .flatMap(([name, value]) => [...formsOf(value)].map((text) => ({ name, text })))
      .sort((a, b) => b.text.length - a.text.length);
    for (const form of forms) {
      const pair = pairOf(form.text.charCodeAt(0), form.text.charCodeAt(1));
      this.#pairs[pair] = 1;
      this.#byPair[pair] = [...(this.#byPair[pair] ?? []), form];
    }
    this.#isEmpty = forms.length === 0;
    this.#withSpace = forms.map(({ text }) => text).filter((text) => /\s/.test(text));
  }

  find(text: string): Span[] {
    if (this.#isEmpty) return [];
    const spans: Span[] = [];
    for (let index = 0; index + 1 < text.length; index++) {
      const pair = pairOf(text.charCodeAt(index), text.charCodeAt(index + 1));
      if (this.#pairs[pair] !== 1) continue;
      const form = this.#byPair[pair]?.find((each) => text.startsWith(each.text, index));
      if (form === undefined) continue;
      spans.push({ from: index, to: index + form.text.length, name: form.name });
      index += form.text.length - 1;
    }
    return spans;
  }

  /** How much at the end of a text may be the beginning of a value that has spaces in it. */
  begun(text: string): number {
    let most = 0;
    for (const value of this.#withSpace) {
      for (let length = Math.min(value.length - 1, text.length); length > most; length--) {
        if (text.endsWith(value.slice(0, length))) most = length;
      }
    }
    return most;
  }
}

function pairOf(first: number, second: number): number {
  return ((first << 7) ^ second) & 0xffff;
}

function formsOf(value: string): Set<string> {
  const lines = value.includes("\n") ? value.split(/\r?\n/).map((line) => line.trim()) : [];
  const plain = [
    value.trim(),
    ...lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith("-----")),
  ];
  const inJson = JSON.stringify(value).slice(1, -1);
  const encoded = [encoded64(value), percentEncoded(value), Buffer.from(value).toString("hex")].flat();
  return new Set([
    ...plain.filter((form) => form.length >= SHORTEST),
    value,
    inJson,
    // In a text that is itself in JSON.
    JSON.stringify(inJson).slice(1, -1),
    ...encoded.filter((form) => form.length >= SHORTEST_ENCODED),
  ]);
}

function percentEncoded(value: string): string[] {
  const form = encodeURIComponent(value.toWellFormed());
  return [form, form.replaceAll("%20", "+"), form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())];
}

/** At each of the three places that it can have among other bytes, less the characters that it shares with them. */
function encoded64(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((shift) => {
    const all = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const end = Math.floor(((shift + bytes.length) * 8) / 6);
    const form = all.slice(Math.ceil((shift * 8) / 6), end);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
