import { z } from "zod";
import { backoffMs, CLOCK, type Clock } from "../clock.ts";
import type {
  ChatPerson,
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
import { ConnectorError, troubleIn, UndeliveredError } from "../error.ts";
import { NewestWins } from "../newest-wins.ts";
import { RateGates } from "../rate-gates.ts";
import { answerAlone } from "./answer.ts";
import { Beginnings } from "./beginnings.ts";
import { catchUp } from "./catch-up.ts";
import { findingsOf } from "./check.ts";
import { emojiName } from "./emoji.ts";
import { Files } from "./files.ts";
import type { Own } from "./heard.ts";
import { Hearing, Speakers } from "./hearing.ts";
import { endLeft, OwnStreams } from "./left.ts";
import { EDIT_EVERY_MS, SlackLiveText } from "./live.ts";
import { LiveStream } from "./live-stream.ts";
import { contentOf, metadataOf, partsOf, refOf } from "./message.ts";
import { People } from "./people.ts";
import { Posts } from "./posts.ts";
import { isOfToken } from "./refusals.ts";
import { SocketMode } from "./socket-mode.ts";
import { MESSAGE_LIMIT, markdownOf, peopleIn } from "./text.ts";
import { messagesIn, textOf } from "./thread.ts";
import { SlackApi, SlackRefusal } from "./web-api.ts";

export interface SlackOptions {
  /** `xoxb-…`, with which everything is said and read. */
  botToken: string;
  /** `xapp-…`, with which events are heard. */
  appToken: string;
  /** Those that the configuration knows. */
  channels: readonly string[];
  /** What was on record before: what came after it is read where nobody listened. */
  onRecord?: () => Promise<OnRecord>;
  /** Of the Web API. */
  apiUrl?: string | undefined;
  /** For the log: how the connection fares. */
  tell?: (news: string) => void;
  clock?: Clock;
  random?: () => number;
}

const API = "https://slack.com/api";
const nothing = async (): Promise<OnRecord> => ({ events: [], direct: [], threads: [] });

const Self = z.object({
  url: z.string().max(500).optional(),
  team_id: z.string(),
  user_id: z.string(),
  bot_id: z.string().optional(),
});
const Done = z.object({ ok: z.literal(true) });

type Message = Extract<Heard, { kind: "message" }>;

/** Slack, with its Web API and Socket Mode and nothing in between. */
export class SlackConnector implements Connector {
  readonly kind = "slack";
  readonly limits: ConnectorLimits = { message: MESSAGE_LIMIT, editEveryMs: EDIT_EVERY_MS };
  readonly #options: Required<Pick<SlackOptions, "tell" | "clock" | "random" | "channels" | "onRecord">>;
  readonly #base: string;
  readonly #bot: SlackApi;
  readonly #app: SlackApi;
  readonly #people: People;
  readonly #posts: Posts;
  readonly #files: Files;
  readonly #edits = new NewestWins<Omit<Said, "nonce" | "file">>();
  readonly #speakers = new Speakers();
  readonly #streams = new OwnStreams();
  readonly #beginnings = new Beginnings();
  #self: Promise<Own> | undefined;
  #isRunning = false;
  /** Only an app that was declared as an agent has them. */
  #hasAgentSessions = true;

  constructor({ botToken, appToken, apiUrl, ...options }: SlackOptions) {
    const { clock = CLOCK, random = Math.random, tell = () => {}, channels, onRecord = nothing } = options;
    this.#options = { clock, random, tell, channels, onRecord };
    this.#base = (apiUrl || API).replace(/\/$/, "");
    const gates = new RateGates(clock);
    const shared = { base: this.#base, clock, random, gates };
    this.#bot = new SlackApi({ ...shared, token: botToken });
    this.#app = new SlackApi({ ...shared, token: appToken });
    this.#people = new People(this.#bot, clock);
    this.#posts = new Posts({
      ...{ api: this.#bot, clock, random, tell },
      own: (signal) => this.#own(signal),
      isEmpty: (place) => this.#beginnings.isKnown(place, "posts"),
    });
    this.#files = new Files({ api: this.#bot, token: botToken, base: this.#base });
  }

  async run(heard: (event: Heard) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.#isRunning) throw new Error("this connector is connected already");
    this.#isRunning = true;
    try {
      const own = await this.#signIn(signal);
      if (!own) return;
      if (this.#bot.toldAt !== undefined) this.#beginnings.listensSince(this.#bot.toldAt);
      const { clock, random, tell } = this.#options;
      const hearing = new Hearing({
        people: this.#people,
        files: this.#files,
        clock,
        answer: (to, text) => answerAlone(to, text, this.#base, signal),
        // Slack's button stays until somebody says that the work has stopped.
        stopped: ({ place }) => void this.#setSession(place, "active", signal),
        heard: async (event) => {
          this.#speakers.note(event);
          this.#beginnings.note(event);
          await heard(event);
        },
      });
      const mode = new SocketMode({
        api: this.#app,
        isSecure: this.#base.startsWith("https:"),
        clock,
        random,
        tell,
        told: (type, payload) => hearing.told(type, payload, own, signal),
        // What Slack tells by itself does not wait for what is to be read.
        listens: () => void this.#catchUp(hearing, own, signal),
      });
      await mode.run(signal);
    } finally {
      this.#isRunning = false;
    }
  }

  async post(place: Place, said: Said, signal: AbortSignal): Promise<MessageRef> {
    const text = said.text.trim() === "" && said.file ? said.file.name : said.text;
    const ref = await this.#posts.post(place, { ...said, text }, signal);
    if (said.file) await this.#attach(place, ref, said.file, signal);
    return ref;
  }

  async edit(
    _place: Place,
    message: MessageRef,
    said: Omit<Said, "nonce" | "file">,
    signal: AbortSignal,
  ): Promise<void> {
    const { channel, ts, nonce } = partsOf(message);
    await this.#edits.write(message, said, async (newest) => {
      const given = () => ({ channel, ts, ...contentOf(newest()), metadata: metadataOf(nonce) });
      await this.#bot.call("chat.update", given, Done, { signal });
    });
  }

  live(
    place: Place,
    nonce: string,
    signal: AbortSignal,
    begun: (ref: MessageRef) => Promise<void> = async () => {},
  ): LiveText {
    const user = this.#speakers.in(place.key);
    const team = place.key.split(":")[1];
    const { clock, tell } = this.#options;
    const recipient = user === undefined || team === undefined ? undefined : { team, user };
    // Streams are answers to somebody, in a thread.
    const canStream = place.thread !== undefined && (recipient !== undefined || place.isDirect);
    const isAt = (ref: MessageRef) => begun(ref).catch(() => {});
    const stream = canStream
      ? new LiveStream({
          ...{ api: this.#bot, clock, place, nonce, recipient },
          begun: async (started) => {
            this.#streams.starts(place, started);
            await started.then(
              (ts) => isAt(refOf(place.channel, ts, nonce)),
              () => {},
            );
          },
        })
      : undefined;
    return new SlackLiveText(
      {
        stream,
        clock,
        place,
        nonce,
        tell,
        post: async (name, text, until) => {
          const ref = await this.#posts.post(place, { nonce: name, text }, until);
          if (name === nonce) await isAt(ref);
          return ref;
        },
        edit: (message, text, until) => this.edit(place, message, { text }, until),
        // A stream says so by itself.
        isWorking: async (working) => {
          if (!stream) await this.#setSession(place, working ? "processing" : "active", signal);
        },
      },
      signal,
    );
  }

  async settle(
    place: Place,
    { nonce, ref, addition }: LeftText,
    signal: AbortSignal,
  ): Promise<MessageRef | undefined> {
    const ts = ref === undefined ? undefined : partsOf(ref).ts;
    const left = await this.#posts.left(place, { nonce, ts }, this.#streams, signal);
    if (!left) return undefined;
    await endLeft(this.#bot, left, { channel: place.channel, nonce, addition }, signal);
    return refOf(place.channel, left.ts, nonce);
  }

  async acknowledge(
    { id, place }: Message,
    { emoji }: { emoji: string },
    signal: AbortSignal,
  ): Promise<void> {
    const name = emojiName(emoji);
    if (name === undefined) return;
    const given = { channel: place.channel, timestamp: id.split(":").at(-1), name };
    try {
      await this.#bot.call("reactions.add", given, Done, { signal });
    } catch (error) {
      if (!(error instanceof SlackRefusal && error.code === "already_reacted")) throw error;
    }
  }

  async history(place: Place, most: number, signal: AbortSignal) {
    if (this.#beginnings.isKnown(place, "history")) return [];
    const own = await this.#own(signal);
    const all = await messagesIn(this.#bot, place, undefined, signal);
    const last = all.slice(-most);
    const texts = last.map(textOf);
    const ids = [...last.flatMap(({ user }) => user ?? []), ...texts.flatMap(peopleIn)];
    const names = await this.#people.names(ids, signal);
    return last.map((message, index) => {
      const isOurs = message.user === own.user || (own.bot !== undefined && message.bot_id === own.bot);
      const id = message.user ?? message.bot_id ?? "unknown";
      const by: ChatPerson = message.user ? this.#people.person(id) : { id, name: message.username ?? id };
      return { by, isOurs, text: markdownOf(texts[index] ?? "", names, own.user) };
    });
  }

  check(signal: AbortSignal): Promise<{ problem: string; remedy: string }[]> {
    return findingsOf({ bot: this.#bot, app: this.#app }, this.#options.channels, signal);
  }

  async #catchUp(hearing: Hearing, own: Own, signal: AbortSignal): Promise<void> {
    const { channels, onRecord, clock, tell } = this.#options;
    const told = (event: object) => hearing.told("events_api", { event }, own, signal);
    try {
      await catchUp({ api: this.#bot, channels, onRecord, clock, told, tell }, signal);
    } catch (error) {
      if (!signal.aborted) tell(`What was written meanwhile in Slack could not be read: ${troubleIn(error)}`);
    }
  }

  /** Undefined where it was ended before Slack could be asked. */
  async #signIn(signal: AbortSignal): Promise<Own | undefined> {
    const { clock, random, tell } = this.#options;
    for (let failures = 1; ; failures++) {
      try {
        return await this.#own(signal, false);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof SlackRefusal && isOfToken(error.code)) {
          throw new ConnectorError(
            "slack",
            `Slack does not accept the bot token (${error.code}).`,
            error.remedy,
          );
        }
        if (!(error instanceof UndeliveredError)) throw error;
        if (failures === 1) tell(`Slack cannot be reached: ${troubleIn(error)}. Trying again`);
        await clock.sleep(backoffMs(failures, random), signal).catch(() => {});
      }
    }
  }

  #own(signal: AbortSignal, again = true): Promise<Own> {
    this.#self ??= this.#bot.call("auth.test", {}, Self, { signal, again }).then(
      ({ team_id, user_id, bot_id, url }) => ({ team: team_id, user: user_id, bot: bot_id, url }),
      (error: unknown) => {
        this.#self = undefined;
        throw error;
      },
    );
    return this.#self;
  }

  /** A file has no nonce of its own: it is looked for behind the message that it belongs to. */
  async #attach(
    place: Place,
    ref: MessageRef,
    file: NonNullable<Said["file"]>,
    signal: AbortSignal,
  ): Promise<void> {
    const own = await this.#own(signal);
    const size = Buffer.byteLength(file.content, "utf8");
    const after = await this.#posts.since(place, partsOf(ref).ts, signal);
    const isThere = after.some(
      ({ user, files }) =>
        user === own.user && files?.some((each) => each.name === file.name && each.size === size),
    );
    if (!isThere) await this.#files.share(place, file, signal);
  }

  /** For people to see; nothing depends on it. */
  async #setSession(place: Place, status: "processing" | "active", signal: AbortSignal): Promise<void> {
    if (!this.#hasAgentSessions || place.thread === undefined || signal.aborted) return;
    try {
      const given = { channel_id: place.channel, thread_ts: place.thread, status };
      await this.#bot.call("agents.sessions.setStatus", given, Done, { signal, again: false });
    } catch (error) {
      if (error instanceof SlackRefusal) this.#hasAgentSessions = false;
    }
  }
}
