import { z } from "zod";
import type { Place } from "../connector.ts";
import { mentions } from "./text.ts";

/** Who we are in the workspace that the app is installed in. */
export interface Own {
  team: string;
  user: string;
  bot: string | undefined;
  /** `https://acme.slack.com/`. */
  url: string | undefined;
}

const Id = z.string().min(1).max(100);
const Ts = z.string().regex(/^\d{1,15}\.\d{1,10}$/);

const File = z.object({
  id: Id,
  name: z.string().max(1_000).nullish(),
  mimetype: z.string().max(200).nullish(),
  size: z.number().nonnegative().nullish(),
  url_private_download: z.string().max(4_000).nullish(),
});

export type SlackFile = z.infer<typeof File>;

const Message = z.object({
  type: z.enum(["message", "app_mention"]),
  subtype: z.string().optional(),
  hidden: z.boolean().optional(),
  channel: Id,
  channel_type: z.string().optional(),
  user: Id.optional(),
  bot_id: z.string().nullish(),
  text: z.string().nullish(),
  ts: Ts,
  thread_ts: Ts.optional(),
  files: z.array(File).max(100).optional(),
});

const Stopped = z.object({
  type: z.literal("agent_session_stopped"),
  channel: Id,
  thread_ts: Ts,
  user: Id,
  event_ts: z.string().max(100),
});

const EventPayload = z.object({ event: z.looseObject({ type: z.string() }) });

const Press = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: Id }),
  channel: z.object({ id: Id }).optional(),
  container: z.object({ channel_id: Id.optional(), message_ts: Ts, thread_ts: Ts.optional() }),
  message: z.object({ thread_ts: Ts.optional() }).optional(),
  actions: z
    .array(z.object({ action_id: z.string(), value: z.string().max(2_000), action_ts: z.string().max(100) }))
    .min(1),
});

const Command = z.object({
  command: z.string().max(200),
  text: z.string().max(10_000).optional(),
  user_id: Id,
  channel_id: Id,
  trigger_id: z.string().min(1).max(500),
  response_url: z.string().max(4_000),
});

/** An event as Slack tells it, before names are looked up and files are read. */
export type Told =
  | {
      kind: "message";
      id: string;
      place: Place;
      user: string;
      text: string;
      isMention: boolean;
      files: SlackFile[];
      ts: string;
    }
  | { kind: "pressed"; id: string; place: Place; user: string; button: string; ts: string }
  | { kind: "command"; id: string; place: Place; user: string; name: string; text: string; answerTo: string }
  | { kind: "stop"; id: string; place: Place; user: string; ts: string };

/** By which our buttons are known. */
export const BUTTON_PREFIX = "baton_";

/** Subtypes that are still something that a person says here and now. Edits, deletes, joins and bots are none. */
const SAID = new Set([undefined, "file_share", "thread_broadcast"]);

/** What Baton is asked by name; whatever else stands behind a slash command is looked for in here too. */
const COMMANDS = new Set(["help", "status", "stop", "reset", "handoff", "sessions", "cost"]);

/** Undefined for all that is nobody's word to us. */
export function toldBy(type: string, payload: unknown, own: Own): Told | undefined {
  switch (type) {
    case "events_api": {
      const parsed = EventPayload.safeParse(payload);
      return parsed.success ? event(parsed.data.event, own) : undefined;
    }
    case "interactive":
      return pressed(payload, own);
    case "slash_commands":
      return command(payload, own);
    default:
      return undefined;
  }
}

function event(given: { type: string }, own: Own): Told | undefined {
  if (given.type === "agent_session_stopped") {
    const { data } = Stopped.safeParse(given);
    if (!data) return undefined;
    const { channel, thread_ts, user, event_ts } = data;
    const place = placeOf(own, channel, thread_ts);
    return { kind: "stop", id: `${place.key}:stop:${event_ts}`, place, user, ts: event_ts };
  }
  const { data } = Message.safeParse(given);
  return data && message(data, own);
}

function message(data: z.infer<typeof Message>, own: Own): Told | undefined {
  const { user, text, channel, ts } = data;
  if (user === undefined || user === own.user || user === "USLACKBOT") return undefined;
  if (data.bot_id || data.hidden || !SAID.has(data.subtype)) return undefined;
  const place = placeOf(own, channel, data.thread_ts ?? ts, data.channel_type);
  const written = text ?? "";
  const isMention = data.type === "app_mention" || mentions(written, own.user);
  // Not the event's id: a mention comes as two events with two ids.
  const id = `slack:${own.team}:${channel}:${ts}`;
  return { kind: "message", id, place, user, text: written, isMention, files: data.files ?? [], ts };
}

function pressed(payload: unknown, own: Own): Told | undefined {
  const { data } = Press.safeParse(payload);
  const action = data?.actions.find(({ action_id }) => action_id.startsWith(BUTTON_PREFIX));
  const channel = data?.channel?.id ?? data?.container.channel_id;
  if (!data || !action || channel === undefined) return undefined;
  const { container, user } = data;
  const thread = container.thread_ts ?? data.message?.thread_ts ?? container.message_ts;
  const place = placeOf(own, channel, thread);
  const id = `${place.key}:pressed:${container.message_ts}:${user.id}:${action.action_ts}`;
  return { kind: "pressed", id, place, user: user.id, button: action.value, ts: action.action_ts };
}

function command(payload: unknown, own: Own): Told | undefined {
  const { data } = Command.safeParse(payload);
  if (!data) return undefined;
  const bare = data.command.replace(/^\//, "").toLowerCase();
  const words = (data.text ?? "").trim();
  const [first = ""] = words.split(/\s+/, 1);
  const isName = COMMANDS.has(bare);
  const name = isName ? bare : first.toLowerCase() || "help";
  const text = isName ? words : words.slice(first.length).trim();
  const place = placeOf(own, data.channel_id, undefined);
  const id = `${place.key}:command:${data.trigger_id}`;
  return { kind: "command", id, place, user: data.user_id, name, text, answerTo: data.response_url };
}

function placeOf(own: Own, channel: string, thread: string | undefined, type?: string): Place {
  const isDirect = type === "im" || channel.startsWith("D");
  const at = thread === undefined ? "" : `/p${thread.replace(".", "")}`;
  return {
    key: ["slack", own.team, channel, ...(thread === undefined ? [] : [thread])].join(":"),
    channel,
    ...(thread !== undefined && { thread }),
    isDirect,
    ...(own.url !== undefined && { url: `${own.url}archives/${channel}${at}` }),
  };
}

/** `1700000000.000100`, as a time. */
export function timeOf(ts: string): string {
  const seconds = Number.parseFloat(ts);
  const time = new Date(Number.isFinite(seconds) ? seconds * 1_000 : 0);
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
}
