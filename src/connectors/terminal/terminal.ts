import type {
  Button,
  ChatFile,
  ChatPerson,
  Connector,
  ConnectorLimits,
  Heard,
  LeftText,
  LiveText,
  MessageRef,
  Place,
  Said,
} from "../connector.ts";

/** A message as people see it. */
export interface Shown {
  ref: MessageRef;
  place: Place;
  /** Null: the bot's. */
  by: ChatPerson | null;
  text: string;
  buttons: readonly Button[];
  file?: { name: string; content: string };
  reactions: readonly string[];
}

/** What changed. */
export type Change = "posted" | "edited" | "reacted";

interface Options {
  limits?: ConnectorLimits;
  /** Makes its threads different from those of every other run. */
  name?: string;
}

type Person = Pick<Shown, "place"> & { by: ChatPerson };

/**
 * A chat service within this process, for people who try a configuration, and for tests. Like the real ones it keeps messages
 * whoever is connected, tells an event again until it is acknowledged, and posts a nonce once.
 */
export class TerminalChat {
  readonly limits: ConnectorLimits;
  readonly #name: string;
  readonly #shown: Shown[] = [];
  readonly #byNonce = new Map<string, Shown>();
  readonly #listeners = new Set<(shown: Shown, change: Change) => void>();
  readonly #untold: Heard[] = [];
  #heard: ((event: Heard) => Promise<void>) | undefined;
  #count = 0;
  #telling: Promise<void> = Promise.resolve();

  constructor({ limits = { message: 4_000, editEveryMs: 1_000 }, name = "here" }: Options = {}) {
    this.limits = limits;
    this.#name = name;
  }

  get shown(): readonly Shown[] {
    return this.#shown;
  }

  subscribe(listener: (shown: Shown, change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  placeOf(channel: string, thread?: string, isDirect = false): Place {
    const key = ["terminal", this.#name, channel, ...(thread === undefined ? [] : [thread])].join(":");
    return { key, channel, isDirect, ...(thread !== undefined && { thread }) };
  }

  /** A person writes. Without a thread they begin one. */
  say(
    by: ChatPerson,
    text: string,
    where: { channel: string; thread?: string; isDirect?: boolean; isMention?: boolean; files?: ChatFile[] },
  ): Shown {
    const { channel, isDirect = false, isMention = false, files = [] } = where;
    const ref = this.#next();
    const place = this.placeOf(channel, isDirect ? undefined : (where.thread ?? ref), isDirect);
    const shown = this.#show({ ref, place, by, text, buttons: [], reactions: [] });
    this.#tell({ kind: "message", id: ref, place, by, text, isMention, files, at: new Date().toISOString() });
    return shown;
  }

  press({ by, place }: Person, button: string): void {
    this.#tell({ kind: "pressed", id: this.#next(), place, by, button, at: new Date().toISOString() });
  }

  command({ by, place }: Person, name: string, text: string, answer: (text: string) => void): void {
    this.#tell({
      ...{ kind: "command", id: this.#next(), place, by, name, text, at: new Date().toISOString() },
      answer: async (answered) => answer(answered),
    });
  }

  stop({ by, place }: Person): void {
    this.#tell({ kind: "stop", id: this.#next(), place, by, at: new Date().toISOString() });
  }

  /** For one connection at a time: what was told and not acknowledged is told again to the next. */
  connector(): Connector {
    return {
      kind: "terminal",
      limits: this.limits,
      run: (heard, signal) => this.#run(heard, signal),
      post: async (place, said) => this.#post(place, said).ref,
      edit: async (_place, message, said) => this.#edit(message, said),
      live: (place, nonce, _signal, begun) => this.#live(place, nonce, begun),
      settle: async (_place, left) => this.#settle(left),
      acknowledge: async ({ id }, { emoji }) => this.#react(id, emoji),
      history: async (place, most) => this.#history(place, most),
      check: async () => [],
    };
  }

  async #run(heard: (event: Heard) => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#heard = heard;
    this.#telling = this.#tellAll();
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    if (this.#heard === heard) this.#heard = undefined;
    await this.#telling;
  }

  #tell(event: Heard): void {
    this.#untold.push(event);
    this.#telling = this.#telling.then(() => this.#tellAll());
  }

  async #tellAll(): Promise<void> {
    for (let event = this.#untold[0]; event && this.#heard; event = this.#untold[0]) {
      try {
        await this.#heard(event);
      } catch {
        return;
      }
      this.#untold.shift();
    }
  }

  #next(): string {
    this.#count += 1;
    return String(this.#count);
  }

  #show(shown: Shown): Shown {
    this.#shown.push(shown);
    this.#changed(shown, "posted");
    return shown;
  }

  #post(place: Place, { nonce, text, buttons = [], file }: Said): Shown {
    const known = this.#byNonce.get(nonce);
    if (known) return known;
    const shown: Shown = {
      ...{ ref: this.#next(), place, by: null, text, buttons, reactions: [] },
      ...(file && { file }),
    };
    this.#byNonce.set(nonce, shown);
    return this.#show(shown);
  }

  #edit(ref: MessageRef, { text, buttons = [] }: Pick<Said, "text" | "buttons">): void {
    const shown = this.#shown.find((each) => each.ref === ref);
    if (!shown || shown.by !== null) throw new Error(`there is no message ${ref} of the bot's`);
    Object.assign(shown, { text, buttons });
    this.#changed(shown, "edited");
  }

  #live(place: Place, nonce: string, begun: (ref: MessageRef) => Promise<void> = async () => {}): LiveText {
    let ref: MessageRef | undefined;
    let noted: Promise<void> = Promise.resolve();
    return {
      show: (text) => {
        if (ref !== undefined) return this.#edit(ref, { text });
        ref = this.#post(place, { nonce, text }).ref;
        noted = begun(ref).catch(() => {});
      },
      close: async () => {
        await noted;
        return ref;
      },
    };
  }

  #settle({ nonce, addition }: LeftText): MessageRef | undefined {
    const shown = this.#byNonce.get(nonce);
    if (shown && addition !== undefined) this.#edit(shown.ref, { text: `${shown.text}\n\n${addition}` });
    return shown?.ref;
  }

  #react(ref: MessageRef, emoji: string): void {
    const shown = this.#shown.find((each) => each.ref === ref);
    if (emoji === "" || !shown || shown.reactions.includes(emoji)) return;
    shown.reactions = [...shown.reactions, emoji];
    this.#changed(shown, "reacted");
  }

  #history(place: Place, most: number) {
    const there = this.#shown.filter((each) => each.place.key === place.key);
    return there
      .slice(-most)
      .map(({ by, text }) => ({ by: by ?? { id: "bot", name: "bot" }, isOurs: by === null, text }));
  }

  #changed(shown: Shown, change: Change): void {
    for (const listener of this.#listeners) listener(shown, change);
  }
}
