import type { Clock } from "../../src/connectors/clock.ts";

/** What Slack answers with `ok: false`. */
export class Refused extends Error {
  readonly code: string;
  readonly more: object;

  constructor(code: string, more: object = {}) {
    super(code);
    this.code = code;
    this.more = more;
  }
}

export interface Block {
  type: string;
  text?: unknown;
  elements?: { action_id: string; value: string; text: { text: string } }[];
}

export interface StoredFile {
  id: string;
  name: string;
  mimetype: string;
  size: number;
  content: Buffer;
  title: string;
  shares: Record<string, Record<string, unknown>>;
}

export interface StoredMessage {
  type: "message";
  ts: string;
  user: string;
  bot_id?: string;
  text: string;
  subtype?: string;
  blocks?: Block[];
  thread_ts?: string;
  metadata?: { event_type: string; event_payload: object };
  files?: StoredFile[];
  reactions: string[];
  /** How often it was written anew. */
  edits: number;
  /** All that it has held, the oldest first. */
  states: string[];
  stream?: { began: number; endedBy?: "bot" | "slack" | "user" };
}

export interface Channel {
  id: string;
  type: "channel" | "group" | "im";
  isMember: boolean;
  messages: StoredMessage[];
}

export const TEAM = "T0001";
export const BOT_USER = "U0BOT";
export const BOT = "B0BOT";
const STREAM_LIFE_MS = 5 * 60_000;

/** One workspace: its channels, people and files, and who was pinged by what the bot said. */
export class Workspace {
  readonly clock: Clock;
  readonly channels = new Map<string, Channel>();
  readonly users = new Map([
    ["U1", "Ada Byron"],
    ["U2", "Grace Hopper"],
  ]);
  readonly files = new Map<string, StoredFile>();
  /** Who or what a text of the bot rang. */
  readonly pinged: string[] = [];
  #count = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.channel("C1", "channel");
    this.channel("C2", "channel");
    this.channel("C9", "channel").isMember = false;
    this.channel("D1", "im");
  }

  channel(id: string, type: Channel["type"]): Channel {
    const channel: Channel = { id, type, isMember: true, messages: [] };
    this.channels.set(id, channel);
    return channel;
  }

  /** One that the bot may speak in. */
  joined(id: unknown): Channel {
    const channel = this.channels.get(String(id));
    if (!channel) throw new Refused("channel_not_found");
    if (!channel.isMember) throw new Refused("not_in_channel");
    return channel;
  }

  nextTs(): string {
    this.#count += 1;
    return `${Math.floor(this.clock.now() / 1000)}.${String(this.#count).padStart(6, "0")}`;
  }

  message(channel: unknown, ts: unknown): StoredMessage | undefined {
    return this.channels.get(String(channel))?.messages.find((each) => each.ts === ts);
  }

  add(
    channel: Channel,
    message: Pick<StoredMessage, "user" | "text"> & Partial<StoredMessage>,
  ): StoredMessage {
    const stored: StoredMessage = {
      type: "message",
      ts: this.nextTs(),
      reactions: [],
      edits: 0,
      states: [],
      ...message,
    };
    stored.states.push(markdownIn(stored));
    channel.messages.push(stored);
    if (stored.bot_id === BOT) this.ring(stored);
    return stored;
  }

  /** Notes whom it pings: Slack reads these anywhere, in code too. */
  ring(message: StoredMessage): void {
    const all = `${message.text}\n${JSON.stringify(message.blocks ?? [])}`;
    for (const [, target = ""] of all.matchAll(/<([@!][^<>|]+)(?:\|[^<>]*)?>/g)) this.pinged.push(target);
  }

  /** Whether it is still being streamed, by the workspace's own clock. */
  isStreaming({ stream }: StoredMessage): boolean {
    if (!stream || stream.endedBy) return false;
    if (this.clock.now() - stream.began >= STREAM_LIFE_MS) stream.endedBy = "slack";
    return stream.endedBy === undefined;
  }
}

/** What people see of it. */
export function markdownIn({ text, blocks }: Pick<StoredMessage, "text" | "blocks">): string {
  const markdown = (blocks ?? [])
    .filter(({ type }) => type === "markdown")
    .map((block) => String(block.text));
  return markdown.length === 0 ? text : markdown.join("\n");
}
