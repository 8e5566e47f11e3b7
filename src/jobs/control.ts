/** What others can ask of a running job. */
interface Handlers {
  handOff(focus?: string): void;
  callOff(): void;
}

/** Between the process that runs a job and the relay that is in the middle of it. */
export class Control {
  #handlers: Handlers | undefined;

  attach(handlers: Handlers): void {
    this.#handlers = handlers;
  }

  handOff(focus?: string): void {
    this.#handlers?.handOff(focus);
  }

  callOff(): void {
    this.#handlers?.callOff();
  }
}
