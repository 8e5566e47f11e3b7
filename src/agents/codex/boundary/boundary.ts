import type { Cut } from "../outcome.ts";
import type { Gate } from "./gate.ts";

/** How long the program waits for a reader that has not heard yet what led to it. */
const HEARING_GRACE_MS = 10_000;

export type WaitsAt = "preModelRequest" | "preCompact";

interface BoundaryOptions {
  /** Why the turn is to end here, where it is. */
  whyCut(at: WaitsAt): Cut | undefined;
  /** Rejects where the program does not end its turn. */
  cut(why: Cut): Promise<void>;
  /** The model is about to be asked. */
  asks(): void;
}

/** Where the main thread waits before it asks its model or compacts its window, until Baton has decided. */
export class Boundary {
  readonly #options: BoundaryOptions;
  #gate: Pick<Gate, "pass" | "reset"> | undefined;
  #waiting: { at: WaitsAt; told: unknown; late: NodeJS.Timeout } | undefined;
  #hasWaited = false;
  /** In the turn that is running. */
  #hasAsked = false;
  /** It waits to be ended with the turn. */
  #isLeft = false;

  constructor(options: BoundaryOptions) {
    this.#options = options;
  }

  /** The program runs its hooks. */
  get hasWaited(): boolean {
    return this.#hasWaited;
  }

  opened(gate: Pick<Gate, "pass" | "reset">): void {
    this.#gate = gate;
  }

  /** A thread beside the main one waits: that is none of ours. */
  passAside(): void {
    this.#hasWaited = true;
    this.#gate?.pass();
  }

  /** `told`: what it was heard by, which its reader comes to later. */
  waitsAt(at: WaitsAt, told: unknown): void {
    this.#hasWaited = true;
    clearTimeout(this.#waiting?.late);
    this.#waiting = { at, told, late: setTimeout(() => this.decide(), HEARING_GRACE_MS) };
    // Only the message led to the first request of a turn: whoever sent it knows it.
    if (at === "preModelRequest" && !this.#hasAsked) this.decide();
  }

  /** Its reader has come to this. Hooks of the user's, and those that were not waited for, are told in the same way. */
  heard(told: unknown): void {
    if (this.#waiting?.told === told) this.decide();
  }

  /** Whether the program continues. What led to it was heard. */
  decide(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    clearTimeout(waiting.late);
    this.#waiting = undefined;
    const cut = this.#options.whyCut(waiting.at);
    if (!cut) {
      this.#pass(waiting.at);
      return;
    }
    this.#isLeft = true;
    this.#options.cut(cut).catch(() => {
      // Otherwise it would wait without end. There will be another boundary.
      if (this.#isLeft) this.#pass(waiting.at);
    });
  }

  turnIsOver(): void {
    this.#gate?.reset(this.#isLeft || this.#waiting !== undefined);
    clearTimeout(this.#waiting?.late);
    this.#waiting = undefined;
    this.#hasAsked = false;
    this.#isLeft = false;
  }

  #pass(at: WaitsAt): void {
    this.#isLeft = false;
    if (at === "preModelRequest") {
      this.#hasAsked = true;
      this.#options.asks();
    }
    this.#gate?.pass();
  }
}
