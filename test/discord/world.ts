import type { Clock } from "../../src/connectors/clock.ts";
import { idAt } from "../../src/connectors/discord/message.ts";

export const GUILD = "1000000000000000001";
export const ROLE = "1000000000000000009";
export const BOT_USER = "2000000000000000001";
export const APPLICATION = "2000000000000000002";
export const ADA = "3000000000000000001";
export const BOB = "3000000000000000002";
export const C1 = "4000000000000000001";
export const C2 = "4000000000000000002";
export const DM = "4000000000000000003";

export interface StoredUser {
  id: string;
  username: string;
  global_name: string | null;
  discriminator: string;
  avatar: null;
  bot?: boolean;
}

export interface StoredMessage {
  id: string;
  type: number;
  channel_id: string;
  author: StoredUser;
  content: string;
  attachments: object[];
  components: { type: number; components: Button[] }[];
  reactions: string[];
  nonce?: string;
  edits: number;
  files: { name: string; content: string }[];
  more: object;
}

interface Button {
  type: 2;
  style: number;
  label: string;
  custom_id: string;
}

export interface StoredChannel {
  id: string;
  type: number;
  name: string;
  parent_id?: string;
  messages: StoredMessage[];
  overwrites: object[];
}

/** What Discord says no to, with its code. */
export class Refused extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** What is on the Discord of a test. */
export class World {
  readonly clock: Clock;
  readonly channels = new Map<string, StoredChannel>();
  readonly users = new Map<string, StoredUser>();
  /** Whom anything that the bot said has notified. */
  readonly pinged: string[] = [];
  #count = 0n;

  constructor(clock: Clock) {
    this.clock = clock;
    this.#user(BOT_USER, "baton", "Baton", true);
    this.#user(ADA, "ada", "Ada Byron");
    this.#user(BOB, "bob", null);
    for (const [id, name] of [
      [C1, "general"],
      [C2, "quiet"],
    ] as const)
      this.add({ id, name, type: 0 });
    this.add({ id: DM, name: "", type: 1 });
  }

  #user(id: string, username: string, global_name: string | null, bot = false): void {
    this.users.set(id, { id, username, global_name, discriminator: "0", avatar: null, ...(bot && { bot }) });
  }

  add(channel: Pick<StoredChannel, "id" | "name" | "type" | "parent_id">): StoredChannel {
    const made = { ...channel, messages: [], overwrites: [] };
    this.channels.set(made.id, made);
    return made;
  }

  nextId(): string {
    this.#count += 1n;
    return String(BigInt(idAt(this.clock.now())) + this.#count);
  }

  channel(id: string): StoredChannel {
    const channel = this.channels.get(id);
    if (!channel) throw new Refused(404, 10003, "Unknown Channel");
    return channel;
  }

  message(channel: string, id: string): StoredMessage {
    const message = this.channel(channel).messages.find((each) => each.id === id);
    if (!message) throw new Refused(404, 10008, "Unknown Message");
    return message;
  }

  put(channel: string, author: string, content: string, more: Partial<StoredMessage> = {}): StoredMessage {
    const user = this.users.get(author);
    if (!user) throw new Error(`there is no user ${author}`);
    const message: StoredMessage = {
      ...{ id: this.nextId(), type: 0, channel_id: channel, author: user, content, attachments: [] },
      ...{ components: [], reactions: [], edits: 0, files: [], more: {}, ...more },
    };
    this.channel(channel).messages.push(message);
    return message;
  }

  /** As Discord shows it. `reads`: whether the bot may read what it says. */
  shown(message: StoredMessage, { reads, isEvent }: { reads: boolean; isEvent: boolean }): object {
    const { reactions: _, edits, files: __, more, nonce, ...rest } = message;
    const channel = this.channel(message.channel_id);
    const mentions = [...message.content.matchAll(/<@!?(\d+)>/g)].flatMap(
      ([, id = ""]) => this.users.get(id) ?? [],
    );
    const isToBot = mentions.some(({ id }) => id === BOT_USER) || message.author.id === BOT_USER;
    const content = reads || isToBot || channel.type === 1 ? message.content : "";
    return {
      ...rest,
      content,
      mentions,
      ...{ mention_roles: [], mention_everyone: false, embeds: [], pinned: false, tts: false, flags: 0 },
      timestamp: new Date(this.clock.now()).toISOString(),
      edited_timestamp: edits > 0 ? new Date(this.clock.now()).toISOString() : null,
      ...(isEvent && nonce !== undefined && { nonce }),
      ...(isEvent &&
        channel.type !== 1 && {
          guild_id: GUILD,
          member: {
            nick: null,
            roles: [],
            joined_at: "2026-01-01T00:00:00Z",
            deaf: false,
            mute: false,
            flags: 0,
          },
        }),
      ...more,
    };
  }

  shownChannel({ id, type, name, parent_id, messages, overwrites }: StoredChannel): object {
    const isThread = type === 11;
    return {
      ...{ id, type, name, permission_overwrites: overwrites, last_message_id: messages.at(-1)?.id ?? null },
      ...(type === 1
        ? { recipients: [this.users.get(ADA)] }
        : { guild_id: GUILD, parent_id: parent_id ?? null, position: 0 }),
      ...(isThread && {
        ...{ owner_id: BOT_USER, message_count: messages.length, member_count: 1 },
        thread_metadata: {
          ...{ archived: false, auto_archive_duration: 1440, locked: false },
          archive_timestamp: new Date(this.clock.now()).toISOString(),
        },
      }),
    };
  }
}
