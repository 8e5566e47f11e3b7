/** Keeps the title of a terminal, so that it can be put back. */
const KEEP = "\u001b[22;0t";
const PUT_BACK = "\u001b[23;0t";

/** The title of a terminal: how much waits for the person, while a screen of Baton's is on it. */
export class TerminalTitle implements Disposable {
  readonly #out: NodeJS.WriteStream;
  #shown: string | undefined;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    this.#out.write(KEEP);
  }

  show(needYou: number): void {
    const title = needYou > 0 ? `(${needYou}) baton` : "baton";
    if (title === this.#shown) return;
    this.#shown = title;
    this.#out.write(`\u001b]0;${title}\u0007`);
  }

  [Symbol.dispose](): void {
    this.#out.write(PUT_BACK);
  }
}
