import { z } from "zod";
import { DiscordRefusal, type Rest } from "./rest.ts";

const Id = z.string().regex(/^\d{1,25}$/);

export const ChannelShape = z.object({
  id: Id,
  type: z.number(),
  guild_id: Id.nullish(),
  parent_id: Id.nullish(),
  name: z.string().max(200).nullish(),
  last_message_id: Id.nullish(),
});

export type Channel = z.infer<typeof ChannelShape>;

const Role = z.object({
  id: Id,
  name: z.string().max(200),
  tags: z.object({ bot_id: Id.nullish() }).nullish(),
});

export const GuildShape = z.object({
  id: Id,
  channels: z.array(ChannelShape).max(2_000).default([]),
  threads: z.array(ChannelShape).max(5_000).default([]),
  roles: z.array(Role).max(1_000).default([]),
});

const THREADS = new Set([10, 11, 12]);
const MOST_CHANNELS = 20_000;

export function isThread({ type }: Pick<Channel, "type">): boolean {
  return THREADS.has(type);
}

/** Channels, threads and roles, as far as Discord has told of them. */
export class Guilds {
  readonly #rest: Rest;
  readonly #channels = new Map<string, Channel>();
  readonly #roles = new Map<string, z.infer<typeof Role>>();

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  /** What a dispatch says of them. */
  learn(type: string, data: unknown): void {
    if (type === "GUILD_CREATE") {
      const { data: guild } = GuildShape.safeParse(data);
      for (const channel of [...(guild?.channels ?? []), ...(guild?.threads ?? [])])
        this.note({ ...channel, guild_id: guild?.id });
      for (const role of guild?.roles ?? []) this.#roles.set(role.id, role);
    } else if (/^(CHANNEL|THREAD)_(CREATE|UPDATE)$/.test(type)) {
      const { data: channel } = ChannelShape.safeParse(data);
      if (channel) this.note(channel);
    } else if (/^(CHANNEL|THREAD)_DELETE$/.test(type)) {
      const { data: gone } = z.object({ id: Id }).safeParse(data);
      if (gone) this.#channels.delete(gone.id);
    }
  }

  note(channel: Channel): void {
    this.#channels.set(channel.id, channel);
    const [oldest] = this.#channels.keys();
    if (this.#channels.size > MOST_CHANNELS && oldest !== undefined) this.#channels.delete(oldest);
  }

  /** Undefined for one that the bot may not see. */
  async channel(id: string, signal: AbortSignal): Promise<Channel | undefined> {
    const known = this.#channels.get(id);
    if (known) return known;
    try {
      const found = await this.#rest.call("GET", `/channels/${id}`, ChannelShape, { signal });
      this.note(found);
      return found;
    } catch (error) {
      if (error instanceof DiscordRefusal) return undefined;
      throw error;
    }
  }

  nameOf(channel: string): string | undefined {
    return this.#channels.get(channel)?.name ?? undefined;
  }

  roleName(id: string): string | undefined {
    return this.#roles.get(id)?.name;
  }

  /** The roles that Discord made for the bot: people mention them in its place. */
  rolesOf(bot: string): string[] {
    return [...this.#roles.values()].flatMap(({ id, tags }) => (tags?.bot_id === bot ? [id] : []));
  }
}
