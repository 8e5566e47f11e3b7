import type { PermissionQuestion } from "../agents/permission.ts";
import { Control, Conversation, JobCancelled } from "../app/jobs/control.ts";
import type { Screen } from "../display/screen.ts";
import { type Paint, printable } from "../display/style.ts";
import type { JournalEvent } from "../job/events.ts";
import type { Job } from "../job/job.ts";
import type { Journal } from "../jobs/journal.ts";
import { COMMANDS, type Command, commandIn, HELP } from "./commands.ts";
import { completionOf, isAboutFile } from "./completion.ts";
import { type Editor, edited, entered, newEditor, remembering } from "./editor.ts";
import type { Action } from "./keys.ts";
import { chatLine } from "./lines.ts";
import { answerIn } from "./permission.ts";
import { Questions } from "./questions.ts";
import { sessionsReport, statusReport, todosReport } from "./report.ts";

/** What is on the screen. */
export interface ChatState {
  /** What stays, oldest first. */
  lines: readonly string[];
  /** Of a text that the agent is writing. */
  partial: string;
  /** What the person has sent and the session was not told yet. */
  queued: readonly string[];
  editor: Editor;
  /** Calls that wait for a yes or no. The first is asked about. */
  questions: readonly PermissionQuestion[];
  /** What Tab could have completed it to. */
  candidates: readonly string[];
  job: Job;
  /** In place of what the job itself says that it does. */
  doing: string | undefined;
  isBusy: boolean;
  /** Only what stays is to be seen. */
  isOver: boolean;
}

interface ChatOptions {
  /** As it is before it was opened. */
  job: Job;
  /** The job is there already: nothing that is said begins it. */
  isResumed: boolean;
  paint: Paint;
  /** Of the screen. */
  width?(): number | undefined;
  /** What was said in the chat that this one continues, oldest first. */
  earlier?: readonly JournalEvent[];
  /** The files that a message can name, of the folder that the agent works in. */
  files(folder: string | undefined): Promise<readonly string[]>;
  /** Ends this process without waiting for the agent. */
  leave: () => void;
}

/** A person's talk with an agent: takes what they type to the job, and what happens in the job to the screen. */
export class Chat {
  readonly control = new Control();
  readonly conversation = new Conversation({
    overhear: (partial) => this.#change({ partial }),
    onAwaited: () => this.#settled(),
    onTakenUp: () => this.#change({ doing: undefined, isBusy: true }),
    permit: (question, signal) => this.#questions.permit(question, signal),
  });
  readonly #options: ChatOptions;
  readonly #ending = new AbortController();
  readonly #opening = Promise.withResolvers<string | undefined>();
  readonly #listeners = new Set<() => void>();
  readonly #questions = new Questions((open) => this.#ask(open));
  /** What the person was writing when they were asked something. */
  #draft: Editor | undefined;
  #state: ChatState;
  #journal: Journal | undefined;
  #hasBegun = false;
  /** The next Ctrl-C ends the chat. */
  #isArmed = false;
  #isEnding = false;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#state = {
      lines: (options.earlier ?? []).flatMap(
        (event) => chatLine(event, options.paint, options.width?.()) ?? [],
      ),
      partial: "",
      queued: [],
      editor: newEditor(),
      questions: [],
      candidates: [],
      job: options.job,
      doing: "ready",
      isBusy: false,
      isOver: false,
    };
  }

  /** The first message, with which the job begins. Undefined when the person ends the chat without any. */
  get opening(): Promise<string | undefined> {
    return this.#opening.promise;
  }

  /** Aborted when the person ends the chat in the middle of something. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get state(): ChatState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What they sent in earlier chats, for them to bring back. */
  remember(earlier: readonly string[]): void {
    this.#change({ editor: remembering(this.#state.editor, earlier) });
  }

  /** From here on the job is at work. */
  screen(journal: Journal): Screen {
    this.#journal = journal;
    this.#hasBegun = true;
    this.#change({ doing: undefined, isBusy: true });
    return {
      show: (event) => this.#show(event),
      say: (text) => this.#say(text),
      redraw() {},
      hasShown: () => true,
      stop() {},
    };
  }

  /** Leaves the screen as a plain log would. What nobody was told stays, for the person to take along. */
  close(): void {
    const { paint } = this.#options;
    const { queued, editor } = this.#state;
    const unsent = [...queued, editor.text].filter((text) => text.trim() !== "");
    const lines = unsent.map((text) => `${paint("yellow", "Not sent:")} ${printable(text)}`);
    this.#change({ isOver: true, isBusy: false }, lines);
  }

  act(action: Action): void {
    if (action.type !== "interrupt") this.#isArmed = false;
    if (this.#state.candidates.length > 0) this.#change({ candidates: [] });
    const { editor } = this.#state;
    switch (action.type) {
      case "edit":
        this.#change({ editor: edited(editor, action.edit) });
        break;
      case "enter": {
        const { editor: next, message } = entered(editor);
        this.#change({ editor: next });
        if (message !== undefined) this.#submit(message);
        break;
      }
      case "complete":
        void this.#complete();
        break;
      case "escape":
        if (this.#questions.answer({ answer: "no" })) break;
        if (this.control.callOff()) this.#change({ doing: "cancelling the handoff" });
        break;
      case "interrupt":
        this.#interrupt();
        break;
      case "end-of-input":
        if (editor.text === "") this.#end();
        else this.#change({ editor: edited(editor, { type: "delete" }) });
    }
  }

  async #complete(): Promise<void> {
    const { editor: asked, job } = this.#state;
    const files = isAboutFile(asked) ? await this.#options.files(job.workspace?.path) : [];
    const { editor } = this.#state;
    if (editor !== asked) return;
    const found = completionOf(editor, { commands: COMMANDS, files });
    if (!found) return;
    const { from, text: completed, candidates } = found;
    this.#change({ editor: edited(editor, { type: "replace", from, text: completed }), candidates });
  }

  #submit(message: string): void {
    const command = commandIn(message);
    if (command) this.#obey(command);
    else if (!this.#questions.answer(answerIn(message, this.#state.questions[0]))) this.#send(message);
  }

  /** Whoever is asked something writes the answer, and then continues what they were writing. */
  #ask(questions: readonly PermissionQuestion[]): void {
    const { editor } = this.#state;
    const draft = this.#draft ?? editor;
    const isFirst = this.#draft === undefined;
    this.#draft = questions.length > 0 ? draft : undefined;
    if (questions.length === 0) {
      this.#change({ questions, editor: edited(draft, { type: "insert", text: editor.text }) });
    } else if (isFirst) {
      this.#change({ questions, editor: { ...newEditor(), sent: editor.sent, shown: editor.sent.length } });
    } else this.#change({ questions });
  }

  #send(text: string): void {
    const isFirst = !this.#options.isResumed && !this.#hasBegun && this.#state.queued.length === 0;
    this.#change({ queued: [...this.#state.queued, text] });
    if (isFirst) this.#opening.resolve(text);
    else this.conversation.want({ kind: "message", text });
  }

  #obey(command: Command): void {
    const { paint } = this.#options;
    switch (command.name) {
      case "handoff":
        if (this.#hasBegun) void this.control.handOff(command.focus);
        else this.#say(paint("yellow", "Nothing to hand off yet"));
        break;
      case "status":
        this.#say(`\n${statusReport(this.#state.job, paint)}`);
        break;
      case "sessions":
        this.#say(`\n${sessionsReport(this.#state.job, paint)}`);
        break;
      case "todos":
        this.#say(`\n${todosReport(this.#state.job, paint)}`);
        break;
      case "help":
        this.#say(`\n${HELP}`);
        break;
      case "exit":
        this.#end();
        break;
      case "unknown":
        this.#say(paint("yellow", `There is no command ${command.typed}. /help lists the commands.`));
    }
  }

  #interrupt(): void {
    const { editor, job } = this.#state;
    if (this.#isEnding) this.#leave();
    else if (this.#isArmed) this.#end();
    else if (job.pendingHandoff && this.control.callOff()) return;
    else if (editor.text !== "") this.#change({ editor: edited(editor, { type: "clear" }) });
    else {
      this.#isArmed = true;
      if (this.control.breakOff()) this.#change({ doing: "interrupting, Ctrl-C again ends the chat" });
      else this.#say(this.#options.paint("dim", "Ctrl-C again ends the chat."));
    }
  }

  /** What is being closed may take a while, as a push does: only who insists does not wait for it. */
  #leave(): void {
    if (this.#isArmed) this.#options.leave();
    this.#isArmed = true;
    this.#change({ doing: "ending, Ctrl-C again leaves without waiting" });
  }

  /** A chat that ends between two turns is complete. */
  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#isArmed = false;
    const isResting = this.conversation.isAwaited;
    this.#change({ doing: "ending", isBusy: true });
    if (!this.#hasBegun) {
      this.#opening.resolve(undefined);
      this.#ending.abort(new JobCancelled("in the chat"));
    } else if (isResting) this.conversation.want({ kind: "end" });
    else this.#ending.abort(new JobCancelled("in the chat"));
  }

  #show(event: JournalEvent): void {
    const line = chatLine(event, this.#options.paint, this.#options.width?.());
    this.#change(this.#after(event), line === undefined ? [] : [line]);
  }

  /** What an event changes beside the lines that stay. */
  #after(event: JournalEvent): Partial<ChatState> {
    const { queued, isBusy } = this.#state;
    switch (event.type) {
      case "text":
      case "warning":
        return { partial: "" };
      case "message:sent": {
        const isTheirs = event.kind === "request" || (event.kind === "said" && event.queued === undefined);
        return { ...(isTheirs && { queued: queued.slice(1) }), isBusy: true, doing: undefined };
      }
      case "handoff:requested":
        return { doing: "handing off at the next boundary, Esc cancels" };
      case "context:handoff:start":
        return { isBusy: true, doing: undefined };
      case "handoff:cancelled":
        return isBusy ? { doing: undefined } : {};
      default:
        return {};
    }
  }

  #settled(): void {
    this.#change({ doing: "your turn", isBusy: false });
  }

  #say(text: string): void {
    this.#change({}, [text]);
  }

  #change(change: Partial<ChatState>, lines: readonly string[] = []): void {
    const { job = this.#state.job } = this.#journal ?? {};
    const all = lines.length === 0 ? this.#state.lines : [...this.#state.lines, ...lines];
    this.#state = { ...this.#state, job, ...change, lines: all };
    for (const listener of this.#listeners) listener();
  }
}
