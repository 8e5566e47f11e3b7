import type { LiveText, MessageRef } from "../connector.ts";
import { troubleIn } from "../error.ts";

interface LiveOptions {
  post: (text: string, signal: AbortSignal) => Promise<MessageRef>;
  /** Asks for the text once it may be sent. */
  edit: (message: MessageRef, newest: () => string, signal: AbortSignal) => Promise<void>;
  tell: (news: string) => void;
}

/** A text as it comes: a message that is edited as often as Discord allows, always to the newest state. */
export class DiscordLiveText implements LiveText {
  readonly #options: LiveOptions;
  readonly #signal: AbortSignal;
  #wanted = "";
  #shown = "";
  #isClosing = false;
  #wake = Promise.withResolvers<void>();
  readonly #done: Promise<MessageRef | undefined>;

  constructor(options: LiveOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake.resolve(), { once: true });
    this.#done = this.#run();
  }

  show(text: string): void {
    this.#wanted = text;
    this.#wake.resolve();
  }

  close(): Promise<MessageRef | undefined> {
    this.#isClosing = true;
    this.#wake.resolve();
    return this.#done;
  }

  async #run(): Promise<MessageRef | undefined> {
    const { post, edit, tell } = this.#options;
    let ref: MessageRef | undefined;
    try {
      for (;;) {
        while (this.#wanted === this.#shown && !this.#isClosing && !this.#signal.aborted) {
          this.#wake = Promise.withResolvers();
          await this.#wake.promise;
        }
        if (this.#wanted === this.#shown || this.#signal.aborted) return ref;
        let sent = this.#wanted;
        const newest = () => {
          sent = this.#wanted;
          return sent;
        };
        if (ref === undefined) ref = await post(sent, this.#signal);
        else await edit(ref, newest, this.#signal);
        this.#shown = sent;
      }
    } catch (error) {
      if (!this.#signal.aborted) tell(`A text could not be shown as it came: ${troubleIn(error)}`);
      return undefined;
    }
  }
}
