import { JobCancelled } from "../reasons.ts";

/** What others can ask of a running job. */
interface Handlers {
  handOff(focus?: string): void;
  /** False when there is no handoff to call off. */
  callOff(): boolean;
  /** Ends the turn that is running. False when none is. */
  breakOff(): boolean;
  /** For a hook: makes the built-in handoff and resolves when it is stored. */
  handOffNow(): Promise<void>;
}

/** Nothing asks for the built-in handoff but a hook that decides about a full window. */
export class NoHookError extends Error {
  override readonly name = "NoHookError";

  constructor() {
    super("`baton internal handoff` is for hooks of on_context_threshold, and none is being run.");
  }
}

/** What the job was to be told came too late for it. */
export class NotToldError extends Error {
  override readonly name = "NotToldError";

  constructor() {
    super("The job ended before it could be told. Resume it, or start another.");
  }
}

interface Untold {
  text: string;
  told: PromiseWithResolvers<void>;
}

/** Between the process that runs a job and the relay that is in the middle of it. */
export class Control {
  readonly #attached = Promise.withResolvers<Handlers>();
  readonly #ending = new AbortController();
  readonly #untold: Untold[] = [];
  #handlers: Handlers | undefined;
  #isOver = false;

  /** Aborted with a JobCancelled when somebody cancels the job. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  cancel(why: string): void {
    this.#ending.abort(new JobCancelled(why));
  }

  attach(handlers: Handlers): void {
    this.#handlers = handlers;
    this.#attached.resolve(handlers);
  }

  /** Who asks before the relay listens is heard once it does. */
  async handOff(focus?: string): Promise<void> {
    (await this.#attached.promise).handOff(focus);
  }

  async handOffNow(): Promise<void> {
    await (await this.#attached.promise).handOffNow();
  }

  /** Resolves once the session has been told, which is when its turn is over. */
  async say(text: string): Promise<void> {
    if (this.#isOver) throw new NotToldError();
    const told = Promise.withResolvers<void>();
    this.#untold.push({ text, told });
    await told.promise;
  }

  /** For the relay: what the session is to be told before the job may end. */
  nextSaid(): Untold | undefined {
    return this.#untold.shift();
  }

  /** For the relay: nobody is told anything any more. */
  over(): void {
    this.#isOver = true;
    for (const { told } of this.#untold.splice(0)) told.reject(new NotToldError());
  }

  breakOff(): boolean {
    return this.#handlers?.breakOff() ?? false;
  }

  callOff(): boolean {
    return this.#handlers?.callOff() ?? false;
  }
}
