import type { Redact } from "./redact.ts";

/** So much of a text is looked at again with what comes after it. A secret that has begun is looked at to its end. */
const CONTEXT = 512;

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
    return this.#redact.begun?.(text) ?? 0;
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

/** What a name at the beginning of a line says is about all of it. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf("\n");
  return end === -1 ? wholeWords(text) : text.slice(0, end + 1);
}
