import type { OwnTool } from "../../agents/agent.ts";
import type { Permit } from "../../agents/permission.ts";
import type { WantedHandoff } from "./leg-end.ts";

/** What a person wants next of the session that they talk to. */
export type Wish =
  | { kind: "message"; text: string }
  | ({ kind: "hand-off" } & WantedHandoff)
  /** That the session hears what was sent to the job from elsewhere. */
  | { kind: "messages" }
  /** Its program is closed until they say something. */
  | { kind: "rest" }
  | { kind: "end" };

/** What a person who takes part in a job is to hear beside its journal. */
interface Ear {
  /** What the agent has written so far of a text that is not complete yet. */
  overhear(partial: string): void;
  /** The session has begun to wait for the person. */
  onAwaited(): void;
  /** It has begun to work by itself while it waited. */
  onTakenUp(): void;
  /** It wants to do what it may not do by itself. Missing where the person answers in the inbox. */
  permit?: Permit;
  /** Whoever asked does not sit there: a turn that was cut off is continued without a word of theirs. */
  isAway?: boolean;
  /** What its sessions are told of how they talk with the person. */
  about?: string;
  /** What they can call to talk with the person. */
  tools?: readonly OwnTool[];
  /** The folder that the job works in is there. Nothing begins in it before this resolves. */
  onReady?(folder: string): Promise<void>;
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

  get permit(): Permit | undefined {
    return this.#ear.permit;
  }

  get isAway(): boolean {
    return this.#ear.isAway ?? false;
  }

  get about(): string | undefined {
    return this.#ear.about;
  }

  async ready(folder: string): Promise<void> {
    await this.#ear.onReady?.(folder);
  }

  get tools(): readonly OwnTool[] {
    return this.#ear.tools ?? [];
  }

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
