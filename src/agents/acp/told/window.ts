import type { WindowFill } from "../../events.ts";
import { TOKENS_A_CHARACTER } from "../../tokens.ts";

/** What programs send before anything is said: their instructions and tools. Between 8,000 and 14,000, where it was seen. */
const BEFORE_ANYTHING = 12_000;

/**
 * How full the window is: as the program says it, and reckoned from what was said since, where it does not say it after each
 * response.
 */
export class Window {
  #told: number | undefined;
  #size: number | undefined;
  #characters = 0;

  /** `before`: as it was when an earlier run of the program ended. */
  constructor(before?: WindowFill) {
    if (before) this.#told = before.tokens;
  }

  /** Of the whole window, where the program has said it. */
  get size(): number | undefined {
    return this.#size;
  }

  /** True where it is another figure than the last. Some say 0 after a cancelled turn: that is none. */
  told(used: number | undefined, size: number | undefined): boolean {
    if (size !== undefined && size > 0) this.#size = size;
    if (used === undefined || used <= 0) return false;
    const isNews = used !== this.#told;
    this.#told = used;
    this.#characters = 0;
    return isNews;
  }

  said(text: string): void {
    this.#characters += text.length;
  }

  /** It holds nothing any more of what was said before. */
  compacted(): void {
    this.#told = undefined;
    this.#characters = 0;
  }

  get fill(): WindowFill {
    if (this.#told !== undefined && this.#characters === 0) return { tokens: this.#told };
    const tokens = (this.#told ?? BEFORE_ANYTHING) + this.#characters * TOKENS_A_CHARACTER;
    return { tokens: Math.round(tokens), isEstimate: true };
  }
}
