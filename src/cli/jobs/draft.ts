import { type MessageView, messagesFor, sendTo, takeBack } from "../../app/jobs/messages.ts";
import { type Editor, edited, entered, newEditor, remembering, rowsOf } from "../../chat/editor.ts";
import type { Action } from "../../chat/keys.ts";
import { messageWords } from "../../display/messages.ts";
import { oneLine, type Paint, printable } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import type { Job } from "../../job/job.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { deedMeanwhile } from "../audited.ts";

interface DraftOptions {
  store: Store;
  job(): Job;
  paint: Paint;
  /** Something of it looks different now. */
  onChange(): void;
  say(text: string): void;
  /** Escape, for a handoff that is being made. False where there is none. */
  callOff(): boolean;
  /** Escape, where there is nothing that it could be for. */
  onIdleEscape(): void;
}

const LOOK_MS = 1_000;
/** Of what is being written, and of what waits. */
const MOST_ROWS = 4;
const CURSOR = "▏";

/** What a person writes to the agent of a job while it works, and what it has not heard yet. */
export class Draft {
  readonly #options: DraftOptions;
  readonly #timer: NodeJS.Timeout;
  #editor: Editor = newEditor();
  #waiting: readonly MessageView[] = [];
  #work: Promise<void> = Promise.resolve();

  constructor(options: DraftOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.look();
  }

  /** What of it stands below the live line. */
  lines(width: number): string[] {
    const { paint } = this.#options;
    const waiting = this.#waiting.slice(-MOST_ROWS).map((message) => {
      return paint("dim", fitted(`  ⏎ ${messageWords(message)}`, width));
    });
    const hidden = this.#waiting.length - waiting.length;
    if (hidden > 0) waiting.unshift(paint("dim", `  ⏎ … ${hidden} more`));
    return [...waiting, ...this.#written(width)];
  }

  #written(width: number): string[] {
    if (this.#editor.text === "") return [];
    const { paint } = this.#options;
    const { text, cursor } = this.#editor;
    const marked = `${text.slice(0, cursor)}${CURSOR}${text.slice(cursor)}`;
    const { rows, row } = rowsOf({ text: marked, cursor }, width - 2);
    const from = Math.max(0, Math.min(row - MOST_ROWS + 1, rows.length - MOST_ROWS));
    return rows
      .slice(from, from + MOST_ROWS)
      .map((line, index) => `${paint("cyan", from + index === 0 ? "›" : " ")} ${printable(line)}`);
  }

  readonly act = (action: Action): void => {
    const editor = this.#editor;
    switch (action.type) {
      case "edit":
        if (action.edit.type === "up" && editor.text === "" && this.#waiting.length > 0) this.#takeLastBack();
        else this.#editor = edited(editor, action.edit);
        break;
      case "enter": {
        const { editor: next, message } = entered(editor);
        this.#editor = next;
        if (message !== undefined) this.#send(message);
        break;
      }
      case "escape":
        if (this.#options.callOff()) break;
        if (editor.text === "") this.#options.onIdleEscape();
        // What is put away can be brought back.
        else this.#editor = remembering(edited(editor, { type: "clear" }), [editor.text]);
        break;
      case "complete":
      case "interrupt":
      case "end-of-input":
    }
    this.#options.onChange();
  };

  /** Something may have been sent from elsewhere, or heard. */
  look(): void {
    this.#then(async (store, { id }) => {
      const before = this.#waiting;
      this.#waiting = await messagesFor(store, id);
      if (before.length + this.#waiting.length > 0) this.#options.onChange();
    });
  }

  /** What nobody was told stays on the screen, for the person to take along. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.look();
    await this.#work;
    const { paint, say } = this.#options;
    const { text } = this.#editor;
    const waiting = this.#waiting;
    this.#editor = newEditor();
    this.#waiting = [];
    for (const message of waiting) say(`${paint("yellow", "Not heard yet:")} ${messageWords(message)}`);
    if (text.trim() !== "") say(`${paint("yellow", "Not sent:")} ${printable(text)}`);
  }

  #send(text: string): void {
    this.#then(async (store, job) => {
      try {
        const sent = await deedMeanwhile({ what: "send", target: job.id }, () =>
          sendTo(store, job, text, "boundary"),
        );
        this.#waiting = [...this.#waiting, sent];
      } catch (error) {
        this.#editor = edited(this.#editor, { type: "insert", text });
        this.#options.say(oneLine(messageOf(error)));
      }
      this.#options.onChange();
    });
  }

  #takeLastBack(): void {
    const last = this.#waiting.at(-1);
    if (!last) return;
    this.#then(async (store, job) => {
      const { text } = await deedMeanwhile({ what: "send", target: job.id }, () => takeBack(store, last.id));
      this.#waiting = this.#waiting.filter(({ id }) => id !== last.id);
      this.#editor = edited(this.#editor, { type: "insert", text });
      this.#options.onChange();
    });
  }

  /** One after the other. A store that fails now does so for the job, too, which says it. */
  #then(work: (store: Store, job: Job) => Promise<void>): void {
    const { store, job } = this.#options;
    this.#work = this.#work.then(() => work(store, job()).catch(() => {}));
  }
}
