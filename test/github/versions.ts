interface Version<T> {
  at: number;
  value: T;
}

/** A value and what it was a moment ago, for readers of a replica that is behind. Values are replaced, never changed. */
export class Versions<T> {
  readonly #versions: Version<T>[] = [];
  readonly #keptMs: number;

  constructor(first: T, keptMs: number) {
    this.#keptMs = keptMs;
    this.#versions.push({ at: performance.now(), value: first });
  }

  get now(): T {
    const last = this.#versions.at(-1);
    if (!last) throw new Error("no version");
    return last.value;
  }

  set(value: T): void {
    const at = performance.now();
    this.#versions.push({ at, value });
    while (this.#versions.length > 1 && (this.#versions[1]?.at ?? at) < at - this.#keptMs)
      this.#versions.shift();
  }

  /** All readers see what is now. */
  catchUp(): void {
    this.#versions.splice(0, this.#versions.length, { at: Number.NEGATIVE_INFINITY, value: this.now });
  }

  /** Undefined where there was nothing yet. */
  at(moment: number): T | undefined {
    return this.#versions.findLast(({ at }) => at <= moment)?.value;
  }
}
