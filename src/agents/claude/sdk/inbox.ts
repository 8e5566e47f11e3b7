import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";

/** The stream of user messages that keeps the program alive between turns. */
export class Inbox implements AsyncIterable<SDKUserMessage> {
  #waiting: SDKUserMessage[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  push(message: SDKUserMessage): void {
    this.#waiting.push(message);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage> {
    while (true) {
      for (const message of this.#waiting.splice(0)) yield message;
      if (this.#ended) return;
      if (this.#waiting.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
