import { z } from "zod";
import { backoffMs, CLOCK, type Clock } from "../clock.ts";
import type {
  Connector,
  ConnectorLimits,
  Heard,
  LeftText,
  LiveText,
  MessageRef,
  OnRecord,
  Place,
  Said,
} from "../connector.ts";
import { troubleIn, UndeliveredError } from "../error.ts";
import { NewestWins } from "../newest-wins.ts";
import { RateGates } from "../rate-gates.ts";
import { findingsOf } from "./check.ts";
import { isAnswered, registerCommands } from "./commands.ts";
import { Gateway, wrongToken } from "./gateway.ts";
import { type Channel, Guilds } from "./guilds.ts";
import { MessageShape, type Own, personOf } from "./heard.ts";
import { Hearing, textOf } from "./hearing.ts";
import { Interactions } from "./interactions.ts";
import { DiscordLiveText } from "./live.ts";
import { contentOf, idAt, MESSAGE_LIMIT, partsOf, refOf } from "./message.ts";
import { DiscordRefusal, Rest } from "./rest.ts";
import { isUnknown, Threads } from "./threads.ts";

export interface DiscordOptions {
  token: string;
  /** Those that the configuration knows. */
  guilds: readonly { id: string; answersEverywhere: boolean }[];
  channels: readonly { id: string; guild?: string }[];
  presence?: { type: keyof typeof ACTIVITIES; message: string } | undefined;
  /** Where slash commands are registered: `global`, or guilds. */
  commandsIn: readonly string[];
  hasSkills: boolean;
  /** What was on record before this process: what came after it is asked for. */
  onRecord?: () => Promise<OnRecord>;
  /** Of the API, without its version. */
  apiUrl?: string | undefined;
  /** For the log: how the connection fares. */
  tell?: (news: string) => void;
  clock?: Clock;
  random?: () => number;
}

const API = "https://discord.com/api";
const EDIT_EVERY_MS = 1_200;
const EDITS = { burst: 1, everyMs: EDIT_EVERY_MS };
const MOST_HISTORY = 100;
/** Between this machine and Discord. */
const CLOCKS_DIFFER_MS = 60_000;

/** Guilds, messages in them, messages to the bot alone, and what all of these say. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
const ACTIVITIES = { playing: 0, listening: 2, watching: 3, competing: 5 } as const;

const Self = z.object({ id: z.string().max(25) });
const Posted = z.object({ id: z.string().max(25), channel_id: z.string().max(25) });
const Written = z.object({ content: z.string() });
const Anything = z.unknown();
const History = z.array(z.unknown()).max(MOST_HISTORY);

/** Discord, with its API and its gateway and nothing in between. */
export class DiscordConnector implements Connector {
  readonly kind = "discord";
  readonly limits: ConnectorLimits = { message: MESSAGE_LIMIT, editEveryMs: EDIT_EVERY_MS };
  readonly #options: DiscordOptions & Required<Pick<DiscordOptions, "tell" | "clock" | "random">>;
  readonly #base: string;
  readonly #gates: RateGates;
  readonly #rest: Rest;
  readonly #guilds: Guilds;
  readonly #threads: Threads;
  readonly #edits = new NewestWins<Omit<Said, "nonce" | "file">>();
  #self: Promise<Own> | undefined;
  #isRunning = false;
  #areCommandsThere = false;

  constructor(options: DiscordOptions) {
    const { clock = CLOCK, random = Math.random, tell = () => {} } = options;
    this.#options = { ...options, clock, random, tell };
    this.#base = `${(options.apiUrl || API).replace(/\/$/, "")}/v10`;
    this.#gates = new RateGates(clock);
    const { token } = options;
    this.#rest = new Rest({ token, base: this.#base, clock, random, gates: this.#gates });
    this.#guilds = new Guilds(this.#rest);
    this.#threads = new Threads(this.#rest);
  }

  async run(heard: (event: Heard) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.#isRunning) throw new Error("this connector is connected already");
    this.#isRunning = true;
    try {
      const own = await this.#signIn(signal);
      if (!own) return;
      const { clock, random, tell, token, onRecord } = this.#options;
      const shared = { rest: this.#rest, guilds: this.#guilds, clock, heard };
      const hearing = new Hearing({
        ...shared,
        base: this.#base,
        serves: (channel) => this.#serves(channel),
        onRecord: onRecord ?? (async () => ({ events: [], direct: [], threads: [] })),
        begins: (place, words) => this.#threads.begins(place, words),
      });
      const interactions = new Interactions({ ...shared, isAnswered, tell });
      const gateway = new Gateway({
        ...{ rest: this.#rest, base: this.#base, token, clock, random, tell },
        intents: INTENTS,
        presence: this.#presence(),
        isUrgent: (type) => type === "INTERACTION_CREATE",
        told: async (type, data) => {
          this.#guilds.learn(type, data);
          if (type === "INTERACTION_CREATE") await interactions.told(data, own, signal);
          else await hearing.told(type, data, own, signal);
          if (type === "READY") void this.#register(own, signal);
        },
      });
      await gateway.run(signal);
    } finally {
      this.#isRunning = false;
    }
  }

  async post(place: Place, said: Said, signal: AbortSignal): Promise<MessageRef> {
    const { nonce, file, tried } = said;
    const content = contentOf(said);
    const there = tried && (await this.#found(place, content, file !== undefined, tried, signal));
    if (there) return there;
    const attachments = file && { attachments: [{ id: 0, filename: file.name }] };
    const body = () => ({ ...content, ...attachments, nonce, enforce_nonce: true });
    const { id, channel_id } = await this.#threads.within(place, signal, (channel) =>
      this.#rest.call("POST", `/channels/${channel}/messages`, Posted, { signal, body, file }),
    );
    return refOf(channel_id, id);
  }

  /** Discord knows a nonce for minutes only. After that, what was posted is known by what it says, and by nothing else having been it. */
  async #found(
    { channel, thread }: Place,
    { content }: ReturnType<typeof contentOf>,
    hasFile: boolean,
    tried: NonNullable<Said["tried"]>,
    signal: AbortSignal,
  ): Promise<MessageRef | undefined> {
    const own = await this.#own(signal);
    const where = thread ?? channel;
    const others = tried.others.map(partsOf).filter((each) => each.channel === where);
    const since = others.reduce(
      (last, { message }) => (BigInt(message) > last ? BigInt(message) : last),
      BigInt(idAt(Date.parse(tried.since) - CLOCKS_DIFFER_MS)),
    );
    const path = `/channels/${where}/messages?after=${since}&limit=${MOST_HISTORY}`;
    const found = await this.#rest.call("GET", path, History, { signal }).catch((error: unknown) => {
      if (isUnknown(error)) return [];
      throw error;
    });
    for (const each of found) {
      const { data: message } = MessageShape.safeParse(each);
      if (message?.author.id !== own.user || message.content !== content) continue;
      if (message.attachments.length === (hasFile ? 1 : 0)) return refOf(where, message.id);
    }
    return undefined;
  }

  async edit(
    _place: Place,
    message: MessageRef,
    said: Omit<Said, "nonce" | "file">,
    signal: AbortSignal,
  ): Promise<void> {
    contentOf(said);
    await this.#edits.write(message, said, (newest) => this.#write(message, newest, signal));
  }

  live(
    place: Place,
    nonce: string,
    signal: AbortSignal,
    begun: (ref: MessageRef) => Promise<void> = async () => {},
  ): LiveText {
    const { tell } = this.#options;
    return new DiscordLiveText(
      {
        tell,
        post: async (text, until) => {
          const ref = await this.post(place, { nonce, text }, until);
          await begun(ref).catch(() => {});
          return ref;
        },
        edit: (message, newest, until) => this.#write(message, () => ({ text: newest() }), until),
      },
      signal,
    );
  }

  /** By its place alone: Discord knows a nonce for minutes only. */
  async settle(
    _place: Place,
    { ref, addition }: LeftText,
    signal: AbortSignal,
  ): Promise<MessageRef | undefined> {
    if (ref === undefined) return undefined;
    const { channel, message } = partsOf(ref);
    try {
      const path = `/channels/${channel}/messages/${message}`;
      const { content } = await this.#rest.call("GET", path, Written, { signal });
      if (addition === undefined) return ref;
      const more = `\n\n${addition}`;
      const text = `${content.slice(0, MESSAGE_LIMIT - more.length)}${more}`;
      await this.#write(ref, () => ({ text }), signal);
      return ref;
    } catch (error) {
      // Somebody has deleted it.
      if (error instanceof DiscordRefusal && error.status === 404) return undefined;
      throw error;
    }
  }

  /** A reaction, and a sign that something will be written: once, since Discord limits it, and work takes longer. */
  async acknowledge(
    { id, place }: Extract<Heard, { kind: "message" }>,
    { emoji, types }: { emoji: string; types: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const [channel, message] = id.split(":").slice(-2);
    if (emoji !== "") {
      const name = encodeURIComponent(/^<a?:(\w+:\d+)>$/.exec(emoji)?.[1] ?? emoji);
      const path = `/channels/${channel}/messages/${message}/reactions/${name}/@me`;
      await this.#rest.call("PUT", path, Anything, { signal });
    }
    if (!types) return;
    await this.#threads.within(place, signal, (at) =>
      this.#rest.call("POST", `/channels/${at}/typing`, Anything, { signal, tries: 1 }),
    );
  }

  async history(place: Place, most: number, signal: AbortSignal) {
    const own = await this.#own(signal);
    const found = await this.#lastIn(place, Math.min(most, MOST_HISTORY), signal);
    return found.toReversed().flatMap((each) => {
      const { data: message } = MessageShape.safeParse(each);
      if (!message || (message.content === "" && message.attachments.length === 0)) return [];
      const by = personOf(message.author, message.member);
      return [{ by, isOurs: by.id === own.user, text: textOf(message, own, this.#guilds) }];
    });
  }

  check(signal: AbortSignal): Promise<{ problem: string; remedy: string }[]> {
    const { guilds, channels } = this.#options;
    const ids = [...guilds.map(({ id }) => id), ...channels.flatMap(({ guild }) => guild ?? [])];
    return findingsOf(this.#rest, { guilds: [...new Set(ids)], channels }, signal);
  }

  /** Of a thread that does not exist yet: what was written in its channel, up to the message that begins it. */
  async #lastIn({ channel, thread }: Place, limit: number, signal: AbortSignal): Promise<unknown[]> {
    const last = (id: string, more = "") =>
      this.#rest.call("GET", `/channels/${id}/messages?limit=${limit}${more}`, History, { signal });
    if (thread === undefined) return last(channel);
    try {
      return await last(thread);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      return last(channel, `&before=${BigInt(thread) + 1n}`);
    }
  }

  async #write(message: MessageRef, newest: () => Omit<Said, "nonce" | "file">, signal: AbortSignal) {
    const { channel, message: id } = partsOf(message);
    await this.#gates.pass(`edits ${channel}`, EDITS, signal);
    const body = () => contentOf(newest());
    await this.#rest.call("PATCH", `/channels/${channel}/messages/${id}`, Anything, { signal, body });
  }

  #serves({ id, parent_id, guild_id }: Channel): boolean {
    const { channels, guilds } = this.#options;
    return (
      channels.some((channel) => channel.id === id || channel.id === parent_id) ||
      guilds.some((guild) => guild.answersEverywhere && guild.id === guild_id)
    );
  }

  #presence(): object | undefined {
    const { presence } = this.#options;
    if (!presence) return undefined;
    const activities = [{ name: presence.message.slice(0, 128), type: ACTIVITIES[presence.type] }];
    return { since: null, activities, status: "online", afk: false };
  }

  async #register({ application }: Own, signal: AbortSignal): Promise<void> {
    if (this.#areCommandsThere) return;
    this.#areCommandsThere = true;
    const { commandsIn, hasSkills, tell } = this.#options;
    await registerCommands(this.#rest, { application, commandsIn, hasSkills, tell }, signal);
  }

  /** Undefined where it was ended before Discord could be asked. */
  async #signIn(signal: AbortSignal): Promise<Own | undefined> {
    const { clock, random, tell } = this.#options;
    for (let failures = 1; ; failures++) {
      try {
        return await this.#own(signal, 1);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof DiscordRefusal && error.status === 401) throw wrongToken(error);
        if (!(error instanceof UndeliveredError)) throw error;
        if (failures === 1) tell(`Discord cannot be reached: ${troubleIn(error)}. Trying again`);
        await clock.sleep(backoffMs(failures, random), signal).catch(() => {});
      }
    }
  }

  #own(signal: AbortSignal, tries = 3): Promise<Own> {
    this.#self ??= this.#whoWeAre({ signal, tries }).catch((error: unknown) => {
      this.#self = undefined;
      throw error;
    });
    return this.#self;
  }

  async #whoWeAre(how: { signal: AbortSignal; tries: number }): Promise<Own> {
    const { id: user } = await this.#rest.call("GET", "/users/@me", Self, how);
    const { id: application } = await this.#rest.call("GET", "/applications/@me", Self, how);
    return { user, application };
  }
}
