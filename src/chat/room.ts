import type { ChatPerson } from "../connectors/connector.ts";
import type { Shown, TerminalChat } from "../connectors/terminal/terminal.ts";
import { type Editor, edited, entered, newEditor } from "./editor.ts";
import type { Action } from "./keys.ts";

const ROOM_HELP =
  "/new begins a thread · /thread 2 · /as Bob · /dm writes to it alone · /channel C1 · @bot mentions it · 1-9 press its buttons · Ctrl-D ends the fleet";

/** What is on the screen. */
export interface RoomState {
  editor: Editor;
  by: ChatPerson;
  channel: string;
  /** Undefined: the next message begins a thread. */
  thread: string | undefined;
  isDirect: boolean;
  /** The last that was told of the fleet. */
  news: string;
}

/** One person after the other at a terminal that stands for a chat service: what they type becomes messages, presses and threads. */
export class Room {
  readonly chat: TerminalChat;
  readonly channels: readonly string[];
  readonly #leave: () => void;
  readonly #listeners = new Set<() => void>();
  #state: RoomState;

  constructor(chat: TerminalChat, channels: readonly string[], leave: () => void) {
    this.chat = chat;
    this.channels = channels;
    this.#leave = leave;
    const [channel = "terminal"] = channels;
    const by = { id: "you", name: "you" };
    this.#state = { editor: newEditor(), by, channel, thread: undefined, isDirect: false, news: ROOM_HELP };
    chat.subscribe(() => this.#change({}));
  }

  get state(): RoomState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  tell(news: string): void {
    this.#change({ news });
  }

  /** Threads of the channel, oldest first. */
  get threads(): string[] {
    const { channel } = this.#state;
    const there = this.chat.shown.filter(
      ({ place }) => place.channel === channel && place.thread !== undefined,
    );
    return [...new Set(there.map(({ place }) => place.thread ?? ""))];
  }

  /** The messages of the thread that is open, oldest first. */
  get messages(): readonly Shown[] {
    const { channel, thread, isDirect } = this.#state;
    if (thread === undefined && !isDirect) return [];
    const { key } = this.chat.placeOf(channel, isDirect ? undefined : thread, isDirect);
    return this.chat.shown.filter(({ place }) => place.key === key);
  }

  act(action: Action): void {
    const { editor } = this.#state;
    switch (action.type) {
      case "edit":
        if (editor.text === "" && action.edit.type === "insert" && this.#press(action.edit.text)) break;
        this.#change({ editor: edited(editor, action.edit) });
        break;
      case "enter": {
        const { editor: next, message } = entered(editor);
        this.#change({ editor: next });
        if (message !== undefined) this.#submit(message);
        break;
      }
      case "interrupt":
        if (editor.text !== "") this.#change({ editor: edited(editor, { type: "clear" }) });
        else this.#leave();
        break;
      case "end-of-input":
        if (editor.text === "") this.#leave();
        break;
      case "escape":
      case "complete":
    }
  }

  /** The newest message with buttons has the keys. */
  #press(typed: string): boolean {
    const asks = this.messages.findLast(({ by, buttons }) => by === null && buttons.length > 0);
    const button = /^[1-9]$/.test(typed) ? asks?.buttons[Number(typed) - 1] : undefined;
    if (!asks || !button) return false;
    this.chat.press({ by: this.#state.by, place: asks.place }, button.id);
    return true;
  }

  #submit(text: string): void {
    const [, word, rest = ""] = /^\/(\w+)\s*(.*)$/s.exec(text) ?? [];
    if (word === undefined) this.#say(text);
    else this.#change(this.#turned(word, rest));
  }

  #turned(word: string, rest: string): Partial<RoomState> {
    switch (word) {
      case "new":
        return { thread: undefined, isDirect: false };
      case "thread":
        return this.#threadNumbered(rest);
      case "as":
        return rest ? { by: { id: rest.toLowerCase().replace(/\s+/g, "-"), name: rest } } : {};
      case "dm":
        return { isDirect: !this.#state.isDirect };
      case "channel":
        return { channel: rest || (this.channels[0] ?? "terminal"), thread: undefined, isDirect: false };
      default:
        return { news: `There is no /${word} here. ${ROOM_HELP}` };
    }
  }

  #threadNumbered(number: string): Partial<RoomState> {
    const { threads } = this;
    const thread = threads[Number(number) - 1];
    if (thread !== undefined) return { thread, isDirect: false };
    const there =
      threads.length === 0
        ? "none yet"
        : threads.length === 1
          ? "only /thread 1"
          : `/thread 1 to ${threads.length}`;
    return { news: `There is no such thread in this channel: ${there}.` };
  }

  #say(text: string): void {
    const { by, channel, thread, isDirect } = this.#state;
    const isMention = /@\w+/.test(text);
    const words = isMention ? text.replace(/@\w+\s*/, "") : text;
    const where = { channel, isDirect, isMention, ...(thread !== undefined && { thread }) };
    const shown = this.chat.say(by, words, where);
    this.#change({ thread: isDirect ? thread : shown.place.thread });
  }

  #change(change: Partial<RoomState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
