import type { Permit } from "../../agents/permission.ts";
import type { WantedHandoff } from "./leg-end.ts";

/** What a person wants next of the session that they talk to. */
export type Wish =
  | { kind: "message"; text: string }
  | ({ kind: "hand-off" } & WantedHandoff)
  /** That the session hears what was sent to the job from elsewhere. */
  | { kind: "messages" }
  | { kind: "end" };

/** What a person who takes part in a job is to hear beside its journal. */
interface Ear {
  /** What the agent has written so far of a text that is not complete yet. */
  overhear(partial: string): void;
  /** The session has begun to wait for the person. */
  onAwaited(): void;
  /** It has begun to work by itself while it waited. */
  onTakenUp(): void;
  /** It wants to do what it may not do by itself. */
  permit: Permit;
}

/** Between a person and the job that they take part in: what they want waits here until the session has a moment. */
export class Conversation {
  readonly #ear: Ear;
  readonly #wishes: Wish[] = [];
  #call = new AbortController();
  #isAwaited = false;

  constructor(ear: Ear) {
    this.#ear = ear;
  }

  readonly overhear = (partial: string): void => this.#ear.overhear(partial);

  readonly permit: Permit = (question, signal) => this.#ear.permit(question, signal);

  /** True while the session does nothing but wait for the person. */
  get isAwaited(): boolean {
    return this.#isAwaited && this.#wishes.length === 0;
  }

  /** For the person. */
  want(wish: Wish): void {
    this.#wishes.push(wish);
    this.#call.abort();
  }

  /**
   * For the job: the next wish, once there is one. Meanwhile `listen` is called again and again; it stops when its signal
   * aborts, and says true when the session has begun to work by itself, which ends the waiting.
   */
  async next(listen: (call: AbortSignal) => Promise<boolean>): Promise<Wish | undefined> {
    this.#isAwaited = true;
    try {
      for (;;) {
        const wish = this.#wishes.shift();
        if (wish) return wish;
        this.#call = new AbortController();
        this.#ear.onAwaited();
        if (!(await listen(this.#call.signal))) continue;
        this.#ear.onTakenUp();
        return undefined;
      }
    } finally {
      this.#isAwaited = false;
    }
  }
}
