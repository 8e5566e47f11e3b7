import type { ChatAttachments, ChatOutput } from "../../config/chat-config.ts";
import type { Connector, LiveText } from "../../connectors/connector.ts";
import { split } from "../../connectors/split.ts";
import type { JobEventType } from "../../job/events.ts";
import type { Journal } from "../../jobs/journal.ts";
import {
  changeConversation,
  liveAt,
  liveBegun,
  liveOver,
  type Conversation as Recorded,
} from "../../store/conversations/conversations.ts";
import type { Store } from "../../store/store.ts";
import { type Control, Conversation } from "../jobs/control.ts";
import { bringFiles, removeFiles } from "./attachments.ts";
import { sendFile } from "./send-file.ts";
import { newNonce, StatusMessage } from "./status-message.ts";

interface Options {
  store: Store;
  recorded: Recorded;
  connector: Connector;
  output: ChatOutput;
  /** What its sessions are told of how they talk with people. */
  about: string;
  attachments: ChatAttachments;
  /** Of the project. */
  root: string;
  /** Withholds secrets of what the agent sends. */
  redact: (text: string) => string;
  /** How long the program stays open while nobody says anything. */
  keepOpenMs: number;
  /** Something is to be told. */
  changed: () => void;
}

interface Live {
  nonce: string;
  text: LiveText;
  /** More than it shows fits into no message. */
  isFull: boolean;
}

/** A job that this process runs for people in a chat: brings what they want to it, and shows what it writes as it comes. */
export class Attending {
  readonly key: string;
  readonly job: string | null;
  readonly agent: string;
  readonly project: string;
  readonly conversation: Conversation;
  readonly #options: Options;
  readonly #status: StatusMessage;
  readonly #ending = new AbortController();
  #control: Control | undefined;
  /** Where the job works, once it is there. */
  #folder: string | undefined;
  /** What the agent writes at the moment. */
  #live: Live | undefined;
  /** What it has written, by its event, until that is told. */
  readonly #shown = new Map<number, Live>();
  /** Other nonces on record are of a process that was cut off. */
  readonly #own = new Set<string>();
  #recording: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #hasAnswered = false;
  #isResting = false;
  #isEnded: boolean;

  constructor(options: Options) {
    const { recorded, store, connector, output, about, redact } = options;
    this.#options = options;
    this.key = recorded.key;
    this.job = recorded.job;
    this.agent = recorded.agent;
    this.project = options.root;
    this.#isEnded = recorded.endedAt !== null;
    this.conversation = new Conversation({
      overhear: (partial) => this.#overhear(partial),
      onAwaited: () => this.#awaited(),
      onTakenUp: () => clearTimeout(this.#idle),
      isAway: true,
      about,
      tools: [
        sendFile({
          ...{ store, redact, conversation: recorded.key, job: recorded.job ?? "" },
          folder: () => this.#folder,
          said: () => options.changed(),
        }),
      ],
      onReady: async (folder) => {
        this.#folder = folder;
        await this.bringFiles();
      },
    });
    this.#status = new StatusMessage({
      ...{ connector, output, place: recorded.place, recorded: recorded.status, signal: this.#ending.signal },
      record: (status) => changeConversation(store, recorded.key, { status }),
    });
  }

  begin(journal: Journal, control: Control): void {
    this.#control = control;
    journal.subscribe((event) => {
      if (event.type === "message:sent") clearTimeout(this.#idle);
      this.#status.heard(event);
      if (event.type === "text") this.#written(event.seq);
      else if (OVER.has(event.type)) this.#brokenOff();
      if (event.type === "text") this.#hasAnswered = true;
      if (event.type === "person:awaited" && this.#hasAnswered) {
        this.#hasAnswered = false;
        void this.#removeFiles().catch(() => {});
      }
      this.#options.changed();
    });
  }

  /** What people attached is where the job works, before it hears of it. */
  async bringFiles(): Promise<void> {
    const { root, attachments } = this.#options;
    if (this.#folder !== undefined && attachments.enabled)
      await bringFiles(root, this.key, this.#folder, attachments);
  }

  async #removeFiles(): Promise<void> {
    const { root, attachments } = this.#options;
    if (this.#folder !== undefined && attachments.enabled && attachments.cleanUp)
      await removeFiles(root, this.key, this.#folder, attachments);
  }

  /** Something was sent to the job. */
  look(): void {
    this.#control?.lookForMessages();
  }

  /** Ends the turn that is running. False where none is. */
  stop(): boolean {
    return this.#control?.breakOff() ?? false;
  }

  handOff(focus: string | undefined): void {
    void this.#control?.handOff(focus);
  }

  /** Lets its program go, if it only waits. False where it works. */
  rest(): boolean {
    if (!this.conversation.isAwaited) return false;
    this.conversation.want({ kind: "rest" });
    this.#isResting = true;
    return true;
  }

  /** Its program is about to end, and its slot to be free. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** The job is over as soon as it has nothing more to do. */
  end(): void {
    this.#isEnded = true;
    this.stop();
    if (this.conversation.isAwaited) this.conversation.want({ kind: "end" });
  }

  isOwn(nonce: string): boolean {
    return this.#own.has(nonce);
  }

  /** The message that shows a text of this event as it came, to be completed by the caller. */
  async liveOf(seq: number): Promise<Live | undefined> {
    await this.#recording;
    return this.#shown.get(seq);
  }

  /** The same by its nonce. It is the caller's from then on. */
  takeLive(nonce: string): LiveText | undefined {
    for (const [seq, live] of this.#shown) {
      if (live.nonce !== nonce) continue;
      this.#shown.delete(seq);
      return live.text;
    }
    return undefined;
  }

  /** What is to be shown is shown, or given up. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#status.close();
    await this.#recording;
  }

  abort(): void {
    this.#ending.abort();
  }

  #awaited(): void {
    clearTimeout(this.#idle);
    if (this.#isEnded) this.conversation.want({ kind: "end" });
    else this.#idle = setTimeout(() => this.rest(), this.#options.keepOpenMs);
  }

  #written(seq: number): void {
    if (this.#live) this.#shown.set(seq, this.#live);
    this.#live = undefined;
  }

  /** The text will never be complete. What there is of it stays. */
  #brokenOff(): void {
    const live = this.#live;
    if (!live) return;
    this.#live = undefined;
    const { store } = this.#options;
    this.#recording = this.#recording
      .then(() => live.text.close())
      .then(async () => void (await liveOver(store, this.key, live.nonce)))
      .catch(() => {});
  }

  #overhear(partial: string): void {
    const { output, connector, recorded, store } = this.#options;
    if (partial.trim() === "") return;
    if (output.assistantMessages === "answers") {
      this.#status.partial(partial);
      return;
    }
    if (this.#live) {
      if (this.#live.isFull) return;
      this.#live.isFull = partial.length > connector.limits.message;
      this.#live.text.show(shownOf(partial, connector.limits.message));
      return;
    }
    const nonce = newNonce();
    this.#own.add(nonce);
    const { key, place } = recorded;
    const isAt = (ref: string) => liveAt(store, key, { nonce, ref });
    const begun = lateLive(() => connector.live(place, nonce, this.#ending.signal, isAt));
    this.#live = { nonce, text: begun, isFull: partial.length > connector.limits.message };
    begun.show(shownOf(partial, connector.limits.message));
    this.#recording = this.#recording
      .then(() => liveBegun(store, key, nonce))
      .then(() => begun.begin())
      // What cannot be recorded is not shown as it comes, and is posted as a whole.
      .catch(() => {});
  }
}

/** After these a text that the agent was writing is not completed any more. */
const OVER: ReadonlySet<JobEventType> = new Set([
  "person:awaited",
  "context:handoff:start",
  "session:ended",
  "job:interrupted",
]);

/** The first message of it. What comes after that is posted when it is complete. */
function shownOf(partial: string, limit: number): string {
  return split(partial.slice(0, limit + 1), limit)[0] ?? "";
}

/** A live text that begins once it is on record that it does. */
function lateLive(make: () => LiveText): LiveText & { begin(): void } {
  let live: LiveText | undefined;
  let latest = "";
  return {
    begin() {
      live = make();
      if (latest !== "") live.show(latest);
    },
    show(text) {
      latest = text;
      live?.show(text);
    },
    close: async () => live?.close(),
  };
}
