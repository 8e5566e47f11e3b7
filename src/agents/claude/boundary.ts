/**
 * The program asks beside its stream of messages whether to stop after a batch of tool calls. A reader that lags behind
 * would be asked before it has seen how full the window is, so the question waits until all that was printed before it
 * has been read.
 */
export class Boundary {
  #question = Promise.withResolvers<"asked">();
  #waiting: (() => void)[] = [];

  /** For the reader: resolves when somebody waits for it. */
  get asked(): Promise<"asked"> {
    return this.#question.promise;
  }

  /** Resolves when the reader has caught up, or after `graceMs`: a reader that is busy elsewhere must not hold the agent. */
  async caughtUp(graceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    this.#waiting.push(resolve);
    this.#question.resolve("asked");
    await promise;
    clearTimeout(timer);
  }

  /** By the reader, when it has dealt with everything. */
  answer(): void {
    this.#question = Promise.withResolvers<"asked">();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
