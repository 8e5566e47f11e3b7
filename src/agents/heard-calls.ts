/**
 * The tool calls that the reader of a session knows of, each with the response that made it. The program asks beside its
 * stream of messages whether to stop after a batch of calls, so a reader that lags behind would be asked before it has
 * seen how full the window is.
 */
export class HeardCalls {
  readonly #heard = new Set<string>();
  #news = Promise.withResolvers<void>();

  add(ids: Iterable<string>): void {
    for (const id of ids) this.#heard.add(id);
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }

  /** Resolves when the reader knows of all of them, or after `graceMs`: a response without a stream is heard of late. */
  async all(ids: string[], graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let late = false;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    }).then(() => {
      late = true;
    });
    while (!late && !ids.every((id) => this.#heard.has(id))) {
      await Promise.race([this.#news.promise, deadline]);
    }
    clearTimeout(timer);
    for (const id of ids) this.#heard.delete(id);
  }
}
