import { ConfigError, type Problem } from "../error.ts";
import { CONFIG_LIMITS } from "../limits.ts";
import type { Report } from "../reader/reader.ts";
import { placeOf } from "../yaml/source.ts";

/** What is wrong with the files of a configuration. A file can hold any number of mistakes: some are shown, all are counted. */
export class Mistakes {
  readonly #shown: Problem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  readonly report: Report = (span, message, fix, shown) => {
    this.#note(() => {
      const found = typeof fix === "string" ? fix : fix();
      return { ...placeOf(span, shown), message: cut(message), fix: cut(found) };
    });
  };

  add(problem: Problem): void {
    this.#note(() => problem);
  }

  throwIfAny(): void {
    if (this.#count > 0) throw new ConfigError(this.#shown, this.#count - this.#shown.length);
  }

  /** What is not shown is not drawn either. */
  #note(problem: () => Problem): void {
    this.#count += 1;
    if (this.#shown.length < CONFIG_LIMITS.mistakes) this.#shown.push(problem());
  }
}

function cut(text: string): string {
  return text.length > CONFIG_LIMITS.message ? `${text.slice(0, CONFIG_LIMITS.message)}…` : text;
}
