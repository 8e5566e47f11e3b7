import { z } from "zod";
import type { ChatPerson, Place } from "../connector.ts";
import { type Channel, ChannelShape, isThread } from "./guilds.ts";
import { BUTTON_PREFIX } from "./message.ts";

const Id = z.string().regex(/^\d{5,25}$/);

const User = z.object({
  id: Id,
  username: z.string().max(200),
  global_name: z.string().max(200).nullish(),
  bot: z.boolean().optional(),
  system: z.boolean().optional(),
});

const Member = z.object({ nick: z.string().max(200).nullish() });

const Attachment = z.object({
  id: Id,
  filename: z.string().max(1_000),
  content_type: z.string().max(200).nullish(),
  size: z.number().nonnegative(),
  url: z.string().max(4_000),
});

export type Attachment = z.infer<typeof Attachment>;

export const MessageShape = z.object({
  id: Id,
  type: z.number(),
  channel_id: Id,
  guild_id: Id.nullish(),
  author: User,
  member: Member.nullish(),
  webhook_id: z.string().nullish(),
  content: z.string().max(20_000),
  mentions: z
    .array(User.extend({ member: Member.nullish() }))
    .max(200)
    .default([]),
  mention_roles: z.array(Id).max(200).default([]),
  attachments: z.array(Attachment).max(50).default([]),
});

export type Message = z.infer<typeof MessageShape>;

const Interaction = z.object({
  id: Id,
  application_id: Id,
  type: z.number(),
  token: z.string().min(1).max(1_000),
  channel_id: Id,
  guild_id: Id.nullish(),
  channel: ChannelShape.nullish(),
  member: Member.extend({ user: User }).nullish(),
  user: User.nullish(),
  message: z.object({ id: Id }).nullish(),
  data: z.object({
    custom_id: z.string().max(200).optional(),
    name: z.string().max(100).optional(),
    options: z
      .array(z.object({ name: z.string(), value: z.union([z.string().max(6_000), z.number(), z.boolean()]) }))
      .max(25)
      .optional(),
  }),
});

export type Interaction = z.infer<typeof Interaction>;

const COMMAND = 2;
const COMPONENT = 3;

/** Who we are. */
export interface Own {
  user: string;
  application: string;
}

/** Plain messages and answers to others. Joins, pins, new threads and what begins them are none. */
const SAID = new Set([0, 19]);

/** Undefined for all that is nobody's word to us. */
export function messageBy(data: unknown, own: Own): Message | undefined {
  const { data: message } = MessageShape.safeParse(data);
  if (!message || !SAID.has(message.type)) return undefined;
  const { author, webhook_id } = message;
  if (author.id === own.user || author.bot || author.system || webhook_id) return undefined;
  return message;
}

export type Asked =
  | { kind: "pressed"; interaction: Interaction; by: ChatPerson; button: string; message: string }
  | { kind: "command"; interaction: Interaction; by: ChatPerson; name: string; text: string };

export function askedBy(data: unknown): Asked | undefined {
  const { data: interaction } = Interaction.safeParse(data);
  const user = interaction?.member?.user ?? interaction?.user;
  if (!interaction || !user || user.bot) return undefined;
  const by = personOf(user, interaction.member);
  const { custom_id: id, name, options = [] } = interaction.data;
  if (interaction.type === COMPONENT && id?.startsWith(BUTTON_PREFIX)) {
    const message = interaction.message?.id ?? interaction.id;
    return { kind: "pressed", interaction, by, button: id.slice(BUTTON_PREFIX.length), message };
  }
  if (interaction.type !== COMMAND || name === undefined) return undefined;
  const text = options
    .map(({ value }) => String(value))
    .join(" ")
    .trim();
  return { kind: "command", interaction, by, name: name.toLowerCase(), text };
}

export function personOf(
  { id, username, global_name }: z.infer<typeof User>,
  member?: z.infer<typeof Member> | null,
): ChatPerson {
  return { id, name: member?.nick || global_name || username };
}

/** Whether it speaks to the bot: by its name, by the role that Discord made for it, or as an answer to it. */
export function isMention({ content, mentions, mention_roles }: Message, own: Own, roles: readonly string[]) {
  return (
    mentions.some(({ id }) => id === own.user) ||
    new RegExp(`<@!?${own.user}>`).test(content) ||
    mention_roles.some((role) => roles.includes(role))
  );
}

/** Where something is said. `begins`: of a channel, the message whose thread it is or becomes. */
export function placeOf(channel: Channel, guild: string | undefined, begins?: string): Place {
  if (guild === undefined) {
    return { key: `discord:dm:${channel.id}`, channel: channel.id, isDirect: true, ...at("@me", channel.id) };
  }
  const thread = isThread(channel) ? channel.id : begins;
  const parent = isThread(channel) ? (channel.parent_id ?? channel.id) : channel.id;
  return {
    key: `discord:${guild}:${thread ?? channel.id}`,
    channel: parent,
    ...(thread !== undefined && { thread }),
    isDirect: false,
    guild,
    ...at(guild, thread ?? channel.id),
  };
}

function at(guild: string, channel: string): { url: string } {
  return { url: `https://discord.com/channels/${guild}/${channel}` };
}
