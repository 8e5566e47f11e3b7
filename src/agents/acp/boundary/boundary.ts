import { within } from "../../process/within.ts";

/** What a program is told that waits before it asks its model again. */
export type Decision = "go on" | "stop";

/** How long it waits for what it has said before that is still on its way, and for a reader that has not heard it yet. */
const TELLING_GRACE_MS = 2_000;
const HEARING_GRACE_MS = 10_000;

interface BoundaryOptions {
  /** The tools of an answer have ended, and it was told how full the window is. */
  isReached(): boolean;
  /** The model has answered in this turn. Only the message leads to its first answer. */
  hasAnswered(): boolean;
  /** Resolves once all that was told has been read. */
  read(): Promise<void>;
}

/** Where a program waits before it asks its model, until Baton has decided. What it says besides comes another way, and may be later. */
export class Boundary {
  readonly #options: BoundaryOptions;
  #changed: (() => void)[] = [];
  #wasReached = false;
  #hasAsked = false;
  #isPassed = false;

  constructor(options: BoundaryOptions) {
    this.#options = options;
  }

  /** The model has answered again after its tools, and nobody had asked here: this program does not wait. */
  get isPassed(): boolean {
    return this.#isPassed;
  }

  /** Decides once all that led to it has been heard. */
  async asked(decide: () => Decision): Promise<Decision> {
    this.#hasAsked = true;
    const { hasAnswered, read } = this.#options;
    if (!hasAnswered()) return decide();
    await within(TELLING_GRACE_MS, this.#reached());
    await within(HEARING_GRACE_MS, read());
    return decide();
  }

  /** The program has said something. */
  heard(): void {
    const isReached = this.#options.isReached();
    if (this.#wasReached && !isReached) {
      this.#isPassed ||= !this.#hasAsked;
      this.#hasAsked = false;
    }
    this.#wasReached = isReached;
    for (const changed of this.#changed.splice(0)) changed();
  }

  async #reached(): Promise<void> {
    while (!this.#options.isReached()) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }
}
