/** What others can ask of a running job. */
interface Handlers {
  handOff(focus?: string): void;
  /** False when there is no handoff to call off. */
  callOff(): boolean;
}

/** Between the process that runs a job and the relay that is in the middle of it. */
export class Control {
  readonly #attached = Promise.withResolvers<Handlers>();
  #handlers: Handlers | undefined;

  attach(handlers: Handlers): void {
    this.#handlers = handlers;
    this.#attached.resolve(handlers);
  }

  /** Who asks before the relay listens is heard once it does. */
  async handOff(focus?: string): Promise<void> {
    (await this.#attached.promise).handOff(focus);
  }

  callOff(): boolean {
    return this.#handlers?.callOff() ?? false;
  }
}
