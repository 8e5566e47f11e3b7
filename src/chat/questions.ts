import type { PermissionAnswer, PermissionQuestion, Permit } from "../agents/agent.ts";

interface Asked {
  question: PermissionQuestion;
  resolve: (answer: PermissionAnswer) => void;
}

/** Calls that wait for a person's yes or no, one after the other. */
export class Questions {
  readonly #onChange: (open: readonly PermissionQuestion[]) => void;
  #asked: readonly Asked[] = [];

  constructor(onChange: (open: readonly PermissionQuestion[]) => void) {
    this.#onChange = onChange;
  }

  readonly permit: Permit = async (question, signal) => {
    if (signal.aborted) return { answer: "no" };
    const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
    const asked = { question, resolve };
    const tooLate = () => this.#settle(asked, { answer: "no" });
    signal.addEventListener("abort", tooLate, { once: true });
    this.#change([...this.#asked, asked]);
    const answer = await promise;
    signal.removeEventListener("abort", tooLate);
    return answer;
  };

  /** Answers what is asked about. False when nothing is. */
  answer(answer: PermissionAnswer): boolean {
    const [first] = this.#asked;
    if (first) this.#settle(first, answer);
    return first !== undefined;
  }

  #settle(asked: Asked, answer: PermissionAnswer): void {
    asked.resolve(answer);
    this.#change(this.#asked.filter((other) => other !== asked));
  }

  #change(asked: readonly Asked[]): void {
    this.#asked = asked;
    this.#onChange(asked.map(({ question }) => question));
  }
}
