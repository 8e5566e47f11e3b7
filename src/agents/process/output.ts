/** Lines of a program's output. Only a line feed ends one: JSON may hold every other character that some take for it. */
export class Lines {
  #rest = "";
  readonly #heard: (line: string) => void;

  constructor(heard: (line: string) => void) {
    this.#heard = heard;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) this.#heard(line);
  }
}

/** What was heard and is still to be read, in order, to its end. */
export class Queue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #end: { error?: Error } | undefined;
  #wake: (() => void) | undefined;
  #drained: (() => void)[] = [];

  push(one: T): void {
    if (this.#end) return;
    this.#waiting.push(one);
    this.#wake?.();
  }

  /** Once: what comes after does not count. */
  end(error?: Error): void {
    this.#end ??= error ? { error } : {};
    this.#wake?.();
  }

  /** Resolves once all that was pushed so far has been read, and its reader asks for more. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#wake?.();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      for (const drained of this.#drained.splice(0)) drained();
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A message in a line of JSON. What is none is not the program's: a wrapper of the user's may print something. */
export function messageIn<T extends { type: string }>(line: string): T | undefined {
  try {
    const told: unknown = JSON.parse(line);
    return typeof told === "object" && told !== null && "type" in told ? (told as T) : undefined;
  } catch {
    return undefined;
  }
}
