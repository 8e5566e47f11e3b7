import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";

/** How long a question waits for results that were printed before it: a program may yet leave one out. */
const LIMIT_MS = 5_000;

/**
 * Results of tool calls that were heard. The program asks beside its output whether to stop after them, and what it printed
 * before may still be on its way.
 */
export class Results {
  readonly #heard = new Set<string>();
  #changed: (() => void)[] = [];

  /** The calls that a message has the results of. */
  heard({ message }: Extract<SDKMessage, { type: "user" }>): string[] {
    const { content } = message;
    if (typeof content === "string") return [];
    const ids = content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    for (const id of ids) this.#heard.add(id);
    for (const changed of this.#changed.splice(0)) changed();
    return ids;
  }

  /** Resolves when the results of all these calls have been heard, once. */
  async all(ids: readonly string[]): Promise<void> {
    const late = AbortSignal.timeout(LIMIT_MS);
    const givenUp = new Promise<void>((resolve) => late.addEventListener("abort", () => resolve()));
    while (!late.aborted && ids.some((id) => !this.#heard.has(id))) {
      await Promise.race([givenUp, new Promise<void>((resolve) => this.#changed.push(resolve))]);
    }
    for (const id of ids) this.#heard.delete(id);
  }
}
