import type { HookJSONOutput } from "@anthropic-ai/claude-agent-sdk";

/** The answer to the hook after a batch of tool calls, where the turn is to end. */
export const STOP_HERE: HookJSONOutput = {
  continue: false,
  stopReason: "Baton stops here: the work continues from this point.",
};

/**
 * The program asks beside its stream of messages whether to stop after a batch of tool calls. A reader that lags behind
 * would be asked before it has seen how full the window is, so the question waits until all that was printed before it
 * has been read. What the program itself is asked waits in the same way, so that its answer and the stream agree.
 */
export class Boundary {
  #question = Promise.withResolvers<"asked">();
  #waiting: (() => void)[] = [];
  #isEndOfBatch = false;

  /** For the reader: resolves when somebody waits for it. */
  get asked(): Promise<"asked"> {
    return this.#question.promise;
  }

  /** True when the tools of a response have run: nothing more of it comes. */
  get isEndOfBatch(): boolean {
    return this.#isEndOfBatch;
  }

  /** At the end of a batch of tool calls. */
  async endOfBatch(graceMs: number): Promise<void> {
    this.#isEndOfBatch = true;
    await this.caughtUp(graceMs);
  }

  /** True when the reader has caught up, false after `graceMs`: a reader that is busy elsewhere must not hold the agent. */
  async caughtUp(graceMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), graceMs);
    this.#waiting.push(() => resolve(true));
    this.#question.resolve("asked");
    const isInTime = await promise;
    clearTimeout(timer);
    return isInTime;
  }

  /** By the reader, when it has dealt with everything. */
  answer(): void {
    this.#question = Promise.withResolvers<"asked">();
    this.#isEndOfBatch = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
