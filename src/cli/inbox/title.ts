import { needYou } from "../../app/inbox/inbox.ts";
import type { Project } from "../../app/project.ts";
import { isLive } from "../../display/screen.ts";
import { TerminalTitle } from "../../display/terminal-title.ts";

const LOOK_MS = 3_000;

/**
 * Has the title of this terminal say how much waits for the person, until it is disposed: from when something does, and on a terminal
 * alone. What is on the screen stays as it is.
 */
export class NeedYouTitle implements Disposable {
  readonly #projects: readonly Project[];
  readonly #timer: NodeJS.Timeout | undefined;
  #title: TerminalTitle | undefined;
  #isLooking = false;
  #isOver = false;

  constructor(projects: readonly Project[], { json = false }: { json?: boolean | undefined }) {
    this.#projects = projects;
    if (json || !isLive(process.stdout)) return;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref();
    process.on("exit", this.#putBack);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    let count = 0;
    for (const project of this.#projects) count += await needYou(project);
    if (this.#isOver) return;
    this.#isLooking = false;
    if (count > 0) this.#title ??= new TerminalTitle(process.stdout);
    this.#title?.show(count);
  }

  /** Also where a second Ctrl-C leaves at once. */
  readonly #putBack = (): void => {
    this.#title?.[Symbol.dispose]();
    this.#title = undefined;
  };

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    process.off("exit", this.#putBack);
    this.#isOver = true;
    this.#putBack();
  }
}
