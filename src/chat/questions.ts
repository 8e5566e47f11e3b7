import type { PermissionAnswer, PermissionQuestion, Permit } from "../agents/permission.ts";

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

  /** What the agent itself wants to know is asked one by one. */
  readonly permit: Permit = async (question, signal) => {
    const texts: string[] = [];
    for (const each of question.questions ?? []) {
      const said = await this.#ask({ ...question, questions: [each] }, signal);
      if (said.answer !== "said") return said;
      texts.push(...said.texts);
    }
    return question.questions ? { answer: "said", texts } : this.#ask(question, signal);
  };

  async #ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    if (signal.aborted) return { answer: "no" };
    const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
    const asked = { question, resolve };
    const tooLate = () => this.#settle(asked, { answer: "no" });
    signal.addEventListener("abort", tooLate, { once: true });
    this.#change([...this.#asked, asked]);
    const answer = await promise;
    signal.removeEventListener("abort", tooLate);
    return answer;
  }

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
