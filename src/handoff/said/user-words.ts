import type { AgentEvent } from "../../agents/events.ts";
import type { Facts } from "../facts.ts";
import { HANDOFF_LIMITS } from "../limits.ts";
import { constraintsIn, isConstraint } from "./constraints.ts";

type Said = Extract<AgentEvent, { type: "user" | "queued" | "unqueued" }>;

/** What the user said, word for word, and what of it binds. */
export class UserWords {
  readonly #messages: string[];
  /** What was said while the agent worked, and it may not have heard. */
  #unheard: string[] = [];
  readonly #constraints = new Set<string>();

  constructor({ request, messages, constraints }: Facts) {
    this.#messages = [...messages];
    this.#bind(constraintsIn(request));
    // An earlier version took more for one.
    this.#bind(constraints.filter(isConstraint));
  }

  /** Returns what the agent has now heard. */
  add(event: Said): string | undefined {
    switch (event.type) {
      case "user":
        this.#unheard = without(this.#unheard, event.text);
        return this.#heard(event.text);
      case "queued":
        this.#unheard.push(event.text);
        return undefined;
      case "unqueued":
        return this.#unqueued(event);
    }
  }

  get messages(): string[] {
    return [...this.#messages, ...this.#unheard];
  }

  get constraints(): string[] {
    const all = new Set([...this.#constraints, ...this.#unheard.flatMap(constraintsIn)]);
    return [...all].slice(0, HANDOFF_LIMITS.constraints);
  }

  #unqueued({ text, heard }: Extract<Said, { type: "unqueued" }>): string | undefined {
    if (!heard && text === undefined) this.#unheard = [];
    const gone = this.#unheard.find((waiting) => text === undefined || waiting === text);
    if (gone === undefined) return undefined;
    this.#unheard = without(this.#unheard, gone);
    return heard ? this.#heard(gone) : undefined;
  }

  #heard(text: string): string {
    this.#messages.push(text);
    this.#bind(constraintsIn(text));
    return text;
  }

  /** Each is looked for in every account, so that a pasted book must not count whole. */
  #bind(constraints: readonly string[]): void {
    for (const constraint of constraints) {
      if (this.#constraints.size >= HANDOFF_LIMITS.constraints) return;
      this.#constraints.add(constraint);
    }
  }
}

function without(texts: readonly string[], one: string): string[] {
  const at = texts.indexOf(one);
  return at === -1 ? [...texts] : texts.toSpliced(at, 1);
}
