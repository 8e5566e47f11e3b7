interface Writing<State> {
  state: State;
  isUnsent: boolean;
  done: Promise<void>;
}

/** Writes of one thing, one at a time. What is newer replaces what still waits, so that nothing is ever behind by more than one. */
export class NewestWins<State> {
  readonly #writing = new Map<string, Writing<State>>();

  /** `send` asks for the state at the last moment, and again where it tries again. Resolves once nothing newer waits. */
  write(key: string, state: State, send: (newest: () => State) => Promise<void>): Promise<void> {
    const known = this.#writing.get(key);
    if (known) {
      known.state = state;
      known.isUnsent = true;
      return known.done;
    }
    const writing: Writing<State> = { state, isUnsent: true, done: Promise.resolve() };
    this.#writing.set(key, writing);
    writing.done = this.#run(key, writing, send);
    return writing.done;
  }

  async #run(key: string, writing: Writing<State>, send: (newest: () => State) => Promise<void>) {
    try {
      while (writing.isUnsent) {
        await send(() => {
          writing.isUnsent = false;
          return writing.state;
        });
      }
    } finally {
      this.#writing.delete(key);
    }
  }
}
