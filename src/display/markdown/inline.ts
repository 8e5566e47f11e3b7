import { type Format, type Paint, plain } from "../style.ts";

/** Deeper than anybody nests, and an end for what was written to nest for ever. */
const DEEPEST = 4;
/** Longer than any paragraph: such a line is shown as it is. */
const LONGEST = 20_000;

/**
 * A line of Markdown in paint. Where there are no colours, the marks of code and stress stay, because nothing else would tell. An address
 * always stands beside the words of its link, so that nobody is led elsewhere than they read.
 */
export function inline(text: string, paint: Paint): string {
  return text.length > LONGEST ? text : new Inline(text, paint, DEEPEST).rendered();
}

/** Not with underscores: outside of code they are mostly a part of a name, such as `__init__`. */
const STRESSED: readonly { mark: string; format: Format }[] = [
  { mark: "***", format: ["bold", "italic"] },
  { mark: "**", format: "bold" },
  { mark: "~~", format: "strikethrough" },
  { mark: "*", format: "italic" },
];

const NEXT = /[\\`*~![<]/g;
const LINK =
  /!?\[([^[\]]{0,1000})\]\(<?([^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?)>?(?: "[^"]{0,200}")?\)/y;
const ADDRESS = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const TICKS = /`+/y;

class Inline {
  readonly #text: string;
  readonly #paint: Paint;
  readonly #depth: number;
  /** Marks that nothing further on closes: a long line must not be searched again and again. */
  readonly #unclosed = new Set<string>();
  #at = 0;

  constructor(text: string, paint: Paint, depth: number) {
    this.#text = text;
    this.#paint = paint;
    this.#depth = depth;
  }

  rendered(): string {
    let out = "";
    while (this.#at < this.#text.length) {
      NEXT.lastIndex = this.#at;
      const next = NEXT.exec(this.#text)?.index ?? this.#text.length;
      out += this.#text.slice(this.#at, next);
      this.#at = next;
      if (next === this.#text.length) break;
      out += this.#special() ?? this.#plainSign();
    }
    return out;
  }

  /** Whatever begins here and is more than itself. */
  #special(): string | undefined {
    switch (this.#text[this.#at]) {
      case "\\":
        return this.#taken(ESCAPED)?.[1];
      case "`":
        return this.#code();
      case "!":
      case "[":
        return this.#link();
      case "<": {
        const address = this.#taken(ADDRESS)?.[1];
        return address === undefined ? undefined : this.#paint("gray", address);
      }
      default:
        return this.#stress();
    }
  }

  /** A run of the same sign at once: half of it could be taken for another mark. */
  #plainSign(): string {
    const sign = this.#text[this.#at] ?? "";
    let end = this.#at + 1;
    if (sign !== "\\") while (this.#text[end] === sign) end++;
    const run = this.#text.slice(this.#at, end);
    this.#at = end;
    return run;
  }

  #code(): string | undefined {
    const ticks = this.#matched(TICKS)?.[0] ?? "`";
    const from = this.#at + ticks.length;
    const end = this.#closing(
      ticks,
      from,
      (at) => this.#text[at - 1] !== "`" && this.#text[at + ticks.length] !== "`",
    );
    if (end === undefined) return undefined;
    const inside = this.#text.slice(from, end);
    this.#at = end + ticks.length;
    if (this.#paint === plain) return `${ticks}${inside}${ticks}`;
    const isPadded = inside.startsWith(" ") && inside.endsWith(" ") && inside.trim() !== "";
    return this.#paint("cyan", isPadded ? inside.slice(1, -1) : inside);
  }

  #link(): string | undefined {
    const [, words = "", address = ""] = this.#taken(LINK) ?? [];
    if (address === "") return undefined;
    if (words === "" || words === address) return this.#paint("gray", address);
    return `${this.#within(words)} ${this.#paint("gray", `(${address})`)}`;
  }

  #stress(): string | undefined {
    if (this.#depth === 0) return undefined;
    const found = STRESSED.find(({ mark }) => this.#text.startsWith(mark, this.#at));
    if (!found) return undefined;
    const { mark, format } = found;
    const from = this.#at + mark.length;
    if (!/\S/.test(this.#text[from] ?? "") || this.#text[from] === mark[0]) return undefined;
    const end = this.#closing(
      mark,
      from,
      (at) => /\S/.test(this.#text[at - 1] ?? "") && this.#text[at + mark.length] !== mark[0],
    );
    if (end === undefined) return undefined;
    const inside = this.#within(this.#text.slice(from, end));
    this.#at = end + mark.length;
    return this.#paint === plain ? `${mark}${inside}${mark}` : this.#paint(format, inside);
  }

  #within(text: string): string {
    return new Inline(text, this.#paint, Math.max(0, this.#depth - 1)).rendered();
  }

  /** Where the mark stands again and closes. */
  #closing(mark: string, from: number, closes: (at: number) => boolean): number | undefined {
    if (this.#unclosed.has(mark)) return undefined;
    for (let at = this.#text.indexOf(mark, from + 1); at !== -1; at = this.#text.indexOf(mark, at + 1)) {
      if (closes(at)) return at;
    }
    this.#unclosed.add(mark);
    return undefined;
  }

  #matched(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #taken(pattern: RegExp): RegExpExecArray | null {
    const found = this.#matched(pattern);
    if (found) this.#at += found[0].length;
    return found;
  }
}
