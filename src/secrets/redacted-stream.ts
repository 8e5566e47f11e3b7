import type { Redact } from "./redact.ts";

/** So much of a text is looked at again with what comes after it. A secret that has begun is looked at to its end. */
const CONTEXT = 512;
const LONGEST_KEY = 16_384;

/**
 * A text that comes in pieces, without its secrets. Each piece costs the same, however long the text has become. It ends
 * with its last whole word, because of half a word nobody can say whether it is a secret.
 */
export class RedactedStream {
  readonly #redact: Redact;
  #settled = "";
  #open = "";
  #settleAt = 3 * CONTEXT;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** All of it so far. */
  add(piece: string): string {
    this.#open += piece;
    if (this.#open.length > this.#settleAt) this.#settle();
    return this.#settled + this.#redact(this.#shown());
  }

  clear(): void {
    this.#settled = "";
    this.#open = "";
    this.#settleAt = 3 * CONTEXT;
  }

  #shown(): string {
    const words = wholeWords(this.#open);
    return words.slice(0, words.length - this.#begun(words));
  }

  #begun(text: string): number {
    return Math.max(this.#redact.begun?.(text) ?? 0, keyLinesAtEnd(text));
  }

  /** What no secret can reach into any more is not looked at again. */
  #settle(): void {
    const head = wholeLines(this.#open.slice(0, -CONTEXT));
    const tail = this.#open.slice(head.length);
    const clean = this.#redact(head);
    const isWhole =
      head !== "" &&
      this.#begun(wholeWords(this.#open)) === 0 &&
      clean + this.#redact(tail) === this.#redact(this.#open);
    if (isWhole) {
      this.#settled += clean;
      this.#open = tail;
    }
    // A secret across the cut: the next one is elsewhere, and is not looked for with every piece.
    this.#settleAt = isWhole ? 3 * CONTEXT : 2 * this.#open.length;
  }
}

function wholeWords(text: string): string {
  const end = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n"), text.lastIndexOf("\t"));
  return text.slice(0, end + 1);
}

/** The last line of a key may still come, and tell that the lines before it are one. */
function keyLinesAtEnd(text: string): number {
  let from = text.length;
  while (from > 0) {
    const start = text.lastIndexOf("\n", from - 2) + 1;
    if (
      !/^\s*(?:[A-Za-z0-9+/]{60,}={0,2}|-----END [A-Z ]*)\s*$/.test(
        text.slice(start, Math.min(from, start + 400)),
      )
    )
      break;
    from = start;
  }
  return text.length - from > LONGEST_KEY ? 0 : text.length - from;
}

/** What a name at the beginning of a line says is about all of it. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf("\n");
  return end === -1 ? wholeWords(text) : text.slice(0, end + 1);
}
