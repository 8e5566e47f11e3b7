/** What a chat service is to Baton. All ids are the service's own, and opaque to everybody else. */
export type ChatKind = "slack" | "discord" | "terminal";

/** Where one speaks: a thread, a direct message or a channel. */
export interface Place {
  /** Unique over everything: `slack:T1:C1:1700.1`, `discord:G1:99`. Names the conversation. */
  key: string;
  /** The channel that the configuration knows (of a thread: its parent). */
  channel: string;
  /** Undefined where it is no thread. */
  thread?: string;
  isDirect: boolean;
  /** The server that the channel is on, where the service has such. */
  guild?: string;
  /** A link that opens it, where there is one. */
  url?: string;
}

export interface ChatPerson {
  id: string;
  name: string;
}

export interface ChatFile {
  name: string;
  type: string;
  bytes: number;
  /** Downloads it, up to a size. */
  read(most: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** What people do. `id`: of the event; it is on record before anything is acknowledged, and comes to `heard` once. */
export type Heard =
  | {
      kind: "message";
      id: string;
      place: Place;
      by: ChatPerson;
      /** In Markdown, without the mention of the bot. */
      text: string;
      isMention: boolean;
      files: ChatFile[];
      at: string;
    }
  | {
      kind: "pressed";
      id: string;
      place: Place;
      by: ChatPerson;
      button: string;
      at: string;
      /** For the one who pressed alone to see, where the service can. */
      answer?(text: string): Promise<void>;
    }
  | {
      kind: "command";
      id: string;
      place: Place;
      by: ChatPerson;
      name: string;
      text: string;
      at: string;
      answer(text: string): Promise<void>;
    }
  /** The service's own way to stop an agent. */
  | { kind: "stop"; id: string; place: Place; by: ChatPerson; at: string };

export interface Button {
  id: string;
  label: string;
  style?: "primary" | "danger";
}

/** What is said. `nonce`: of its row in the outbox; the same one is never posted twice. Text is standard Markdown, within `limits`. */
export interface Said {
  nonce: string;
  text: string;
  buttons?: Button[];
  file?: { name: string; content: string };
  /** It may be there already: since when, and which messages of the place are others. For services that forget nonces. */
  tried?: { since: string; others: readonly MessageRef[] };
}

/** Where a message is that was posted, for edits. */
export type MessageRef = string;

export interface ConnectorLimits {
  /** Characters of one message. */
  message: number;
  /** Between two edits of one message. */
  editEveryMs: number;
}

/** A text as it comes. A connector streams natively where its service can, and edits a message elsewhere; it begins anew before the service's own limits. */
export interface LiveText {
  /** The whole text so far. Returns at once; the newest state wins. */
  show(text: string): void;
  /** Resolves when the last state is visible, with where it is; with undefined where it was given up, and has to be posted. */
  close(): Promise<MessageRef | undefined>;
}

/** A live text whose process is gone. `ref`: where it was last known to be. */
export interface LeftText {
  nonce: string;
  ref?: MessageRef;
  /** What is added to what it shows. Nothing, where it is about to be edited. */
  addition?: string;
}

/** What was on record before this process. */
export interface OnRecord {
  /** Ids of the last events that `heard` was given. */
  events: readonly string[];
  /** Channels in which people talk with the bot alone. */
  direct: readonly string[];
  /** Of conversations that are not over, the last ones last. */
  threads: readonly { channel: string; thread: string }[];
}

/** One connection to one service with one token, however many agents are behind it. */
export interface Connector {
  readonly kind: ChatKind;
  readonly limits: ConnectorLimits;
  /** Connects, and stays connected until the signal aborts. `heard` resolves once the event is on record: only then is it acknowledged. Rejects with ConnectorError where it can never work (a wrong token). */
  run(heard: (event: Heard) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Posts once per nonce, also after a crash or a broken answer. */
  post(place: Place, said: Said, signal: AbortSignal): Promise<MessageRef>;
  edit(
    place: Place,
    message: MessageRef,
    said: Omit<Said, "nonce" | "file">,
    signal: AbortSignal,
  ): Promise<void>;
  /** `begun`: where it is, as soon as that is known, and again where it continues in another message. Nothing more is shown before that resolves. */
  live(
    place: Place,
    nonce: string,
    signal: AbortSignal,
    begun?: (ref: MessageRef) => Promise<void>,
  ): LiveText;
  /** Ends what an earlier process showed as it came and left unfinished: from then on it is a message like others. Undefined where there is none. */
  settle(place: Place, left: LeftText, signal: AbortSignal): Promise<MessageRef | undefined>;
  /** Shows that the message was seen: by a reaction, where `emoji` is not empty, and by a typing sign. What a service does not have is left out. */
  acknowledge(
    event: Extract<Heard, { kind: "message" }>,
    how: { emoji: string; types: boolean },
    signal: AbortSignal,
  ): Promise<void>;
  /** The last messages of a thread, oldest first: for a session that begins anew. */
  history(
    place: Place,
    most: number,
    signal: AbortSignal,
  ): Promise<{ by: ChatPerson; isOurs: boolean; text: string }[]>;
  /** What `baton doctor` finds wrong: tokens, scopes, intents, channels. */
  check(signal: AbortSignal): Promise<{ problem: string; remedy: string }[]>;
}
