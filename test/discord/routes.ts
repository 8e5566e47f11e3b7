import { z } from "zod";
import { timeOf } from "../../src/connectors/discord/message.ts";
import { APPLICATION, BOT_USER, GUILD, Refused, ROLE, type StoredMessage, type World } from "./world.ts";

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  files: { name: string; content: string }[];
}

export interface Asked {
  at: number;
  /** What the first answer was. */
  answered?: { type: number; data?: { content?: string; flags?: number } };
  /** What was said to the one who asked alone, or in place of the first answer. */
  said: { content: string; flags?: number }[];
}

export interface State {
  world: World;
  interactions: Map<string, Asked>;
  commands: Map<string, { name: string; options?: object[] }[]>;
  permissions: string;
  reads: () => boolean;
  told: (type: string, data: object) => void;
}

const Mentions = z.object({ parse: z.array(z.string()) });
const Components = z
  .array(
    z.strictObject({
      type: z.literal(1),
      components: z
        .array(
          z.looseObject({
            type: z.literal(2),
            style: z.int().min(1).max(4),
            label: z.string().min(1).max(80),
            custom_id: z.string().min(1).max(100),
          }),
        )
        .min(1)
        .max(5),
    }),
  )
  .max(5);
const Content = z.looseObject({
  content: z.string().max(2_000).optional(),
  nonce: z.union([z.string().max(25), z.number()]).optional(),
  enforce_nonce: z.boolean().optional(),
  allowed_mentions: Mentions.optional(),
  components: Components.optional(),
});
const Command = z.looseObject({
  name: z.string().regex(/^[-_\p{Ll}\p{N}]{1,32}$/u),
  description: z.string().min(1).max(100),
});
/** «The past few minutes.» */
const NONCE_MS = 5 * 60_000;
const INTERACTION_MS = 3_000;
const ALONE_MS = 15 * 60_000;

type Handler = (parts: string[], request: Request, state: State) => unknown;

const ROUTES: [string, RegExp, Handler][] = [
  ["GET", /^\/users\/@me$/, (_, __, { world }) => world.users.get(BOT_USER)],
  ["GET", /^\/applications\/@me$/, (_, __, { reads }) => ({ id: APPLICATION, flags: reads() ? 1 << 19 : 0 })],
  ["GET", /^\/channels\/(\d+)$/, ([id = ""], _, { world }) => world.shownChannel(world.channel(id))],
  ["GET", /^\/channels\/(\d+)\/messages$/, list],
  [
    "GET",
    /^\/channels\/(\d+)\/messages\/(\d+)$/,
    ([channel = "", id = ""], _, { world, reads }) =>
      world.shown(world.message(channel, id), { reads: reads(), isEvent: false }),
  ],
  ["POST", /^\/channels\/(\d+)\/messages$/, create],
  ["PATCH", /^\/channels\/(\d+)\/messages\/(\d+)$/, change],
  ["POST", /^\/channels\/(\d+)\/messages\/(\d+)\/threads$/, thread],
  [
    "PUT",
    /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/,
    ([channel = "", id = "", emoji = ""], _, { world }) => {
      world.message(channel, id).reactions.push(decodeURIComponent(emoji));
    },
  ],
  ["POST", /^\/channels\/(\d+)\/typing$/, ([id = ""], _, { world }) => void world.channel(id)],
  ["PUT", /^\/applications\/(\d+)\/(?:guilds\/(\d+)\/)?commands$/, register],
  ["POST", /^\/interactions\/(\d+)\/([^/]+)\/callback$/, callback],
  ["PATCH", /^\/webhooks\/(\d+)\/([^/]+)\/messages\/(?:@|%40)original$/, say],
  ["POST", /^\/webhooks\/(\d+)\/([^/]+)$/, say],
  [
    "GET",
    /^\/guilds\/(\d+)$/,
    ([id], _, { permissions }) => {
      if (id !== GUILD) throw new Refused(404, 10004, "Unknown Guild");
      return {
        id,
        roles: [
          { id, permissions },
          { id: ROLE, permissions: "0" },
        ],
      };
    },
  ],
  ["GET", /^\/guilds\/\d+\/members\/\d+$/, () => ({ roles: [ROLE] })],
];

export function answerTo(request: Request, state: State): unknown {
  for (const [method, pattern, handler] of ROUTES) {
    const match = method === request.method ? pattern.exec(request.path) : null;
    if (match) return handler(match.slice(1), request, state);
  }
  throw new Refused(404, 0, "404: Not Found");
}

function contentOf(body: unknown): z.infer<typeof Content> {
  const { data, error } = Content.safeParse(body);
  if (!data) throw new Refused(400, 50035, `Invalid Form Body: BASE_TYPE_MAX_LENGTH ${error.message}`);
  return data;
}

function list([id = ""]: string[], { query }: Request, { world, reads }: State): object[] {
  const limit = Number(query.get("limit") ?? 50);
  if (limit < 1 || limit > 100) throw new Refused(400, 50035, "Invalid Form Body");
  const after = BigInt(query.get("after") ?? 0);
  const before = BigInt(query.get("before") ?? "99999999999999999999");
  const all = world
    .channel(id)
    .messages.filter((each) => BigInt(each.id) > after && BigInt(each.id) < before);
  const page = query.has("after") ? all.slice(0, limit) : all.slice(-limit);
  return page.toReversed().map((message) => world.shown(message, { reads: reads(), isEvent: false }));
}

function create([id = ""]: string[], { body, files }: Request, state: State): object {
  const { world, told } = state;
  const channel = world.channel(id);
  const given = contentOf(body);
  const { content = "", nonce, components = [] } = given;
  if (content === "" && files.length === 0) throw new Refused(400, 50006, "Cannot send an empty message");
  const mine = channel.messages.filter(({ author }) => author.id === BOT_USER);
  const recent = world.clock.now() - NONCE_MS;
  const known =
    given.enforce_nonce && mine.find((each) => each.nonce === String(nonce) && timeOf(each.id) > recent);
  if (known) return world.shown(known, { reads: true, isEvent: false });
  const message = world.put(id, BOT_USER, content, {
    ...(nonce !== undefined && { nonce: String(nonce) }),
    components: components as StoredMessage["components"],
    files,
    attachments: files.map(({ name, content }) => ({
      ...{ id: world.nextId(), filename: name, size: content.length, content_type: "text/plain" },
      ...{ url: "https://cdn.discordapp.com/x", proxy_url: "https://cdn.discordapp.com/x" },
    })),
  });
  ping(given, state);
  const shown = world.shown(message, { reads: true, isEvent: true });
  told("MESSAGE_CREATE", shown);
  return shown;
}

function change([channel = "", id = ""]: string[], { body }: Request, state: State): object {
  const { world, told } = state;
  const message = world.message(channel, id);
  if (message.author.id !== BOT_USER)
    throw new Refused(403, 50005, "Cannot edit a message authored by another user");
  const given = contentOf(body);
  if (given.content === "") throw new Refused(400, 50006, "Cannot send an empty message");
  message.content = given.content ?? message.content;
  if (given.components) message.components = given.components as StoredMessage["components"];
  message.edits += 1;
  ping(given, state);
  const shown = world.shown(message, { reads: true, isEvent: true });
  told("MESSAGE_UPDATE", shown);
  return shown;
}

/** Without a word on whom it may ping, a message pings whomever it names. */
function ping({ content = "", allowed_mentions: allowed }: z.infer<typeof Content>, { world }: State): void {
  if (allowed && allowed.parse.length === 0) return;
  world.pinged.push(...(content.match(/@everyone|@here|<@[!&]?\d+>/g) ?? []));
}

function thread([channel = "", id = ""]: string[], { body }: Request, { world, told }: State): object {
  world.message(channel, id);
  const { data } = z.object({ name: z.string().min(1).max(100) }).safeParse(body);
  if (!data) throw new Refused(400, 50035, "Invalid Form Body");
  if (world.channels.has(id))
    throw new Refused(400, 160004, "A thread has already been created for this message");
  const made = world.add({ id, type: 11, name: data.name, parent_id: channel });
  told("THREAD_CREATE", { ...world.shownChannel(made), newly_created: true });
  return world.shownChannel(made);
}

function register([_, guild = "global"]: string[], { body }: Request, { commands }: State): object {
  const { data, error } = z.array(Command).max(100).safeParse(body);
  if (!data) throw new Refused(400, 50035, error.message);
  commands.set(guild, data as never);
  return data;
}

function callback([, token = ""]: string[], { body }: Request, { interactions, world }: State): void {
  const asked = interactions.get(token);
  if (!asked || world.clock.now() - asked.at > INTERACTION_MS)
    throw new Refused(404, 10062, "Unknown interaction");
  if (asked.answered) throw new Refused(400, 40060, "Interaction has already been acknowledged.");
  asked.answered = body as NonNullable<Asked["answered"]>;
}

function say([, token = ""]: string[], { body }: Request, { interactions, world }: State): object {
  const asked = interactions.get(token);
  if (!asked?.answered || world.clock.now() - asked.at > ALONE_MS)
    throw new Refused(404, 10015, "Unknown Webhook");
  const { content = "" } = contentOf(body);
  asked.said.push({ ...(body as { flags?: number }), content });
  return { id: world.nextId(), channel_id: "1", content };
}
