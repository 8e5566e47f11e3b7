import { JobCancelled, JobInterrupted } from "../reasons.ts";

/** What others can ask of a running job. */
interface Handlers {
  handOff(focus?: string, to?: string): void;
  /** False when there is no handoff to call off. */
  callOff(): boolean;
  /** Ends the turn that is running. False when none is. */
  breakOff(): boolean;
  lookForMessages(): void;
  /** The job is to rest at its next boundary. */
  pause(): void;
  lookForAnswers(): void;
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

/** Between the process that runs a job and the relay that is in the middle of it. */
export class Control {
  readonly #attached = Promise.withResolvers<Handlers>();
  readonly #ending = new AbortController();
  #handlers: Handlers | undefined;

  /** Aborted with a JobCancelled when somebody cancels the job, or a JobInterrupted when it is to rest. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  cancel(why: string): void {
    this.#ending.abort(new JobCancelled(why));
  }

  interrupt(why: string): void {
    this.#ending.abort(new JobInterrupted(why));
  }

  attach(handlers: Handlers): void {
    this.#handlers = handlers;
    this.#attached.resolve(handlers);
  }

  /** Who asks before the relay listens is heard once it does. */
  async handOff(focus?: string, to?: string): Promise<void> {
    (await this.#attached.promise).handOff(focus, to);
  }

  async handOffNow(): Promise<void> {
    await (await this.#attached.promise).handOffNow();
  }

  /** What was sent to the job may have changed. The relay looks by itself before it begins. */
  lookForMessages(): void {
    this.#handlers?.lookForMessages();
  }

  /** It is on record that somebody wants the job to rest: the relay looks by itself before each stretch of work. */
  pause(): void {
    this.#handlers?.pause();
  }

  /** Somebody has answered what the job asked. */
  lookForAnswers(): void {
    this.#handlers?.lookForAnswers();
  }

  breakOff(): boolean {
    return this.#handlers?.breakOff() ?? false;
  }

  callOff(): boolean {
    return this.#handlers?.callOff() ?? false;
  }
}
