/** Those of one key come one at a time, in the order in which they asked. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when it is one's turn, with what ends it. */
  async take(key: string): Promise<() => void> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    await before;
    return () => {
      if (this.#last.get(key) === promise) this.#last.delete(key);
      resolve();
    };
  }

  async during<T>(key: string, work: () => Promise<T>): Promise<T> {
    const end = await this.take(key);
    try {
      return await work();
    } finally {
      end();
    }
  }
}
