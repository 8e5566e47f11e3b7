import { folded, screenWidth } from "../../display/fold.ts";
import { isLive, type Screen } from "../../display/screen.ts";
import { paintFor } from "../../display/style.ts";
import type { Job } from "../../job/job.ts";
import type { Store } from "../../store/store.ts";
import { Draft } from "./draft.ts";
import { listenToKeys } from "./terminal-keys.ts";

interface KeyboardOptions {
  store: Store;
  job(): Job;
  /** Escape. False where there is no handoff that it could cancel. */
  callOff(): boolean;
  /** What Ctrl-C does here, in words. */
  ctrlC: string;
}

/** The keyboard of a person who watches a job: Escape cancels a handoff, and what they write is sent to the agent. */
export class Keyboard {
  readonly #options: KeyboardOptions;
  readonly #paint = paintFor(process.stdout, process.env);
  #screen: Screen | undefined;
  #draft: Draft | undefined;
  #listening: Disposable | undefined;
  #isTold = false;

  constructor(options: KeyboardOptions) {
    this.#options = options;
  }

  /** What stands below the live line. */
  readonly lines = (width: number): string[] => this.#draft?.lines(width) ?? [];

  /** From here on it is heard. Where nothing could be seen of it, nothing is written. */
  at(screen: Screen): void {
    const { store, job, callOff } = this.#options;
    const paint = this.#paint;
    const say = (text: string) => screen.say(text);
    const onIdleEscape = () => this.#hint();
    this.#screen = screen;
    if (isLive(process.stdout))
      this.#draft = new Draft({
        store,
        job,
        paint,
        say,
        callOff,
        onIdleEscape,
        onChange: () => screen.redraw(),
      });
    this.#listening = listenToKeys(process.stdin, process.stdout, (action) => {
      if (this.#draft) this.#draft.act(action);
      else if (action.type === "escape" && !callOff()) onIdleEscape();
    });
  }

  /** What was sent may have been heard. */
  look(): void {
    this.#draft?.look();
  }

  async close(): Promise<void> {
    this.#listening?.[Symbol.dispose]();
    await this.#draft?.close();
  }

  #hint(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const { ctrlC } = this.#options;
    const text = `  Esc cancels a handoff, and none is being made. Ctrl-C ${ctrlC}. What you type goes to the agent.`;
    this.#screen?.say(this.#paint("dim", folded(text, screenWidth(process.stdout))));
  }
}
