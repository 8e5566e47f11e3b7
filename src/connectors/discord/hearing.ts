import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { Heard, OnRecord, Place } from "../connector.ts";
import { attached } from "./files.ts";
import { type Channel, GuildShape, type Guilds, isThread } from "./guilds.ts";
import { isMention, type Message, MessageShape, messageBy, type Own, personOf, placeOf } from "./heard.ts";
import { idAt, markdownOf, timeOf } from "./message.ts";
import { DiscordRefusal, type Rest } from "./rest.ts";

/** Far more than come again: what is on record is known without this. */
const MOST_HEARD = 2_000;
/** What was written just before the last message on record may not be on record itself. */
const MARGIN_MS = 60_000;
const LONGEST_AWAY_MS = 24 * 3_600_000;
const PAGE = 100;
const MOST_PAGES = 5;

const Messages = z.array(z.unknown()).max(PAGE);

interface HearingOptions {
  rest: Rest;
  guilds: Guilds;
  clock: Clock;
  /** Where files of the service are. */
  base: string;
  serves: (channel: Channel) => boolean;
  onRecord: () => Promise<OnRecord>;
  heard: (event: Heard) => Promise<void>;
  /** A thread is to begin at this message. */
  begins: (place: Place, words: string) => void;
}

/** What people write, passed on once, in order, and what was written while nobody listened as well. */
export class Hearing {
  readonly #options: HearingOptions;
  readonly #heard = new Set<string>();
  readonly #direct = new Set<string>();
  /** The newest message that is known of, by its time. */
  #newest: number | undefined;
  /** What came after this is asked for in a session that begins. */
  #since: number | undefined;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  /** Resolves once it is on record. */
  async told(type: string, data: unknown, own: Own, signal: AbortSignal): Promise<void> {
    switch (type) {
      case "READY":
        return this.#begin(own, signal);
      case "GUILD_CREATE":
        return this.#catchUpIn(data, own, signal);
      case "MESSAGE_CREATE":
        return this.#message(data, own, signal);
    }
  }

  /** A session begins: Discord tells nothing of what was before it. */
  async #begin(own: Own, signal: AbortSignal): Promise<void> {
    const { clock, onRecord } = this.#options;
    if (this.#newest === undefined) {
      const { events, direct } = await onRecord();
      for (const channel of direct) this.#direct.add(channel);
      const times = events.flatMap((id) => {
        const message = /^discord:.*:(\d{5,25})$/.exec(id)?.[1];
        return message === undefined ? [] : [timeOf(message)];
      });
      this.#since = times.length > 0 ? Math.max(...times) : undefined;
    } else this.#since = this.#newest;
    this.#newest = this.#since ?? clock.now();
    if (this.#since === undefined) return;
    this.#since = Math.max(this.#since - MARGIN_MS, clock.now() - LONGEST_AWAY_MS);
    for (const channel of this.#direct) await this.#catchUp(channel, own, signal);
  }

  async #catchUpIn(data: unknown, own: Own, signal: AbortSignal): Promise<void> {
    const { serves } = this.#options;
    const { data: guild } = GuildShape.safeParse(data);
    for (const channel of [...(guild?.channels ?? []), ...(guild?.threads ?? [])]) {
      const { last_message_id: last, id } = channel;
      if (this.#since === undefined || !last || timeOf(last) < this.#since) continue;
      if (serves({ ...channel, guild_id: guild?.id })) await this.#catchUp(id, own, signal);
    }
  }

  async #catchUp(channel: string, own: Own, signal: AbortSignal): Promise<void> {
    if (this.#since === undefined) return;
    let after = idAt(this.#since);
    for (let page = 0; page < MOST_PAGES; page++) {
      const found = await this.#messagesAfter(channel, after, signal);
      // The newest comes first.
      for (const message of found.toReversed()) await this.#message(message, own, signal, channel);
      const { data: last } = MessageShape.pick({ id: true }).safeParse(found[0]);
      if (found.length < PAGE || !last) return;
      after = last.id;
    }
  }

  async #messagesAfter(channel: string, after: string, signal: AbortSignal): Promise<unknown[]> {
    const path = `/channels/${channel}/messages?after=${after}&limit=${PAGE}`;
    try {
      return await this.#options.rest.call("GET", path, Messages, { signal });
    } catch (error) {
      // It may not be read, or is gone: nothing is missed there.
      if (error instanceof DiscordRefusal) return [];
      throw error;
    }
  }

  async #message(data: unknown, own: Own, signal: AbortSignal, read?: string): Promise<void> {
    const { guilds, heard, begins } = this.#options;
    const message = messageBy(data, own);
    if (!message) return;
    const channel = await this.#channelOf(message, read !== undefined, signal);
    if (!channel) return;
    const guild = channel.guild_id ?? message.guild_id ?? undefined;
    const id = `discord:${guild ?? "dm"}:${message.channel_id}:${message.id}`;
    if (this.#heard.has(id)) return;
    const place = placeOf(channel, guild, message.id);
    if (place.isDirect) this.#direct.add(channel.id);
    const text = this.#textOf(message, own);
    if (!place.isDirect && !isThread(channel)) begins(place, text);
    await heard({
      kind: "message",
      ...{ id, place, text },
      by: personOf(message.author, message.member),
      isMention: isMention(message, own, guilds.rolesOf(own.user)),
      files: message.attachments.map((file) => attached(file, this.#options.base)),
      at: new Date(timeOf(message.id)).toISOString(),
    });
    this.#newest = Math.max(this.#newest ?? 0, timeOf(message.id));
    this.#heard.add(id);
    const [oldest] = this.#heard;
    if (this.#heard.size > MOST_HEARD && oldest !== undefined) this.#heard.delete(oldest);
  }

  /** Discord does not say of a message whether it is in a thread. Of one that was asked for it says not even the server. */
  async #channelOf(
    { channel_id: id, guild_id: guild }: Message,
    isRead: boolean,
    signal: AbortSignal,
  ): Promise<Channel | undefined> {
    if (!isRead && !guild) return { id, type: 1 };
    return this.#options.guilds.channel(id, signal);
  }

  #textOf(message: Message, own: Own): string {
    return textOf(message, own, this.#options.guilds);
  }
}

export function textOf({ content, mentions }: Message, own: Own, guilds: Guilds): string {
  return markdownOf(content, [own.user, ...guilds.rolesOf(own.user)], {
    people: mentions.map((user) => personOf(user, user.member)),
    channel: (id) => guilds.nameOf(id),
    role: (id) => guilds.roleName(id),
  });
}
