import type { Redact } from "./redact.ts";

/** What is longer than this at once is no secret; a private key of 8,192 bits has 6,400 characters. */
const LONGEST_SECRET = 8_192;

/**
 * A text that comes in pieces, without its secrets. Each piece costs the same, however long the text has become. It ends
 * with its last whole word, because of half a word nobody can say whether it is a secret.
 */
export class RedactedStream {
  readonly #redact: Redact;
  #settled = "";
  #open = "";

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** All of it so far. */
  add(piece: string): string {
    this.#open += piece;
    if (this.#open.length > 3 * LONGEST_SECRET) this.#settle();
    return this.#settled + this.#redact(wholeWords(this.#open));
  }

  clear(): void {
    this.#settled = "";
    this.#open = "";
  }

  /** What no secret can reach into any more is not looked at again. */
  #settle(): void {
    const head = wholeWords(this.#open.slice(0, -LONGEST_SECRET));
    const tail = this.#open.slice(head.length);
    const clean = this.#redact(head);
    // A secret across the cut: the next cut is elsewhere.
    if (head === "" || clean + this.#redact(tail) !== this.#redact(this.#open)) return;
    this.#settled += clean;
    this.#open = tail;
  }
}

function wholeWords(text: string): string {
  const end = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n"), text.lastIndexOf("\t"));
  return text.slice(0, end + 1);
}
