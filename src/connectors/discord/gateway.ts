import { z } from "zod";
import { aborted, backoffMs, type Clock } from "../clock.ts";
import { ConnectorError, troubleIn, UndeliveredError } from "../error.ts";
import { SocketError } from "../socket.ts";
import { Link, type Session } from "./link.ts";
import { DiscordRefusal, type Rest } from "./rest.ts";

/** One that lived this long was a good one: the next failure is a first one again. */
const LIVED_MS = 30_000;
/** Where a session cannot be continued so often, Discord is asked for another address. */
const MOST_RESUMES = 4;
/** Discord wants so long between a session that is no more and the next one, at random. */
const ANEW_MS = { least: 1_000, more: 4_000 };

const GatewayBot = z.object({
  url: z.string().max(4_000),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }).optional(),
});

export interface GatewayOptions {
  rest: Rest;
  /** Where the API is: the token goes to its own gateway, and to nobody else's. */
  base: string;
  token: string;
  intents: number;
  /** What people see of the bot. */
  presence: object | undefined;
  clock: Clock;
  random: () => number;
  /** Resolves once it is on record. One after the other. */
  told: (type: string, data: unknown) => Promise<void>;
  /** Those that wait for nothing: Discord wants an answer within seconds. */
  isUrgent: (type: string) => boolean;
  /** For the log: how the connection fares. */
  tell: (news: string) => void;
}

/**
 * Discord's gateway. A session continues on a new connection from the last event that is on record, so that nothing is said to
 * nobody; where Discord has forgotten the session, another begins.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  /** What is being recorded. */
  #recording: Promise<void> = Promise.resolve();
  #session: Session | undefined;
  #told = "";

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Until the signal aborts. Rejects with ConnectorError where no other try can help. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    let failures = 0;
    try {
      while (!signal.aborted) {
        // After the first failure at once: any connection may drop.
        await clock.sleep(backoffMs(failures - 1, random), signal);
        await this.#recording;
        const link = await this.#open(failures < MOST_RESUMES, signal);
        failures += 1;
        if (!link) continue;
        const began = clock.now();
        const end = await Promise.race([link.end, aborted(signal)]);
        if (clock.now() - began >= LIVED_MS && end !== "failed") failures = 0;
        link.close(end === "resume" || end === "failed");
        if (end === "anew") {
          this.#session = undefined;
          await clock.sleep(ANEW_MS.least + random() * ANEW_MS.more, signal);
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Undefined where it failed in a way that may pass. */
  async #open(resumes: boolean, signal: AbortSignal): Promise<Link | undefined> {
    const { tell: _, ...options } = this.#options;
    try {
      const url = (resumes && this.#session?.url) || (await this.#address(signal));
      const known = this.#session;
      const link = await Link.open(
        this.#own(url),
        {
          ...options,
          session: known,
          began: (session) => {
            this.#session = session;
          },
          dispatched: (type, data, sequence, giveUp) => this.#dispatched(type, data, sequence, giveUp),
        },
        signal,
      );
      this.#tell("Discord is connected");
      return link;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof DiscordRefusal && error.status === 401) throw wrongToken(error);
      if (error instanceof ConnectorError) throw error;
      if (!(error instanceof UndeliveredError) && !(error instanceof SocketError)) throw error;
      this.#tell(`Discord cannot be reached: ${troubleIn(error)}. Trying again`);
      return undefined;
    }
  }

  async #address(signal: AbortSignal): Promise<string> {
    const { rest, clock } = this.#options;
    const { url, session_start_limit: limit } = await rest.call("GET", "/gateway/bot", GatewayBot, {
      signal,
      tries: 1,
    });
    if (limit?.remaining === 0) {
      this.#tell("Discord allows this bot no new sessions for a while. Waiting");
      await clock.sleep(limit.reset_after, signal);
    }
    return url;
  }

  #own(address: string): string {
    const url = gatewayAddress(address, this.#options.base);
    if (!url) throw new SocketError("Discord named an address for events that is none of its own");
    url.search = "?v=10&encoding=json";
    return url.href;
  }

  #dispatched(type: string, data: unknown, sequence: number, giveUp: () => void): void {
    const { told, isUrgent } = this.#options;
    const session = this.#session;
    const done = () => {
      if (session && !session.isStuck) session.recorded = sequence;
    };
    const failed = (error: unknown) => {
      this.#tell(`An event of Discord is not on record, and will come again: ${troubleIn(error)}`);
      if (session) session.isStuck = true;
      giveUp();
    };
    if (isUrgent(type)) {
      told(type, data).catch((error) => this.#tell(`A press or a command was lost: ${troubleIn(error)}`));
      this.#recording = this.#recording.then(done);
      return;
    }
    this.#recording = this.#recording.then(async () => {
      if (!session?.isStuck) await told(type, data).then(done, failed);
    });
  }

  /** Once, however often it is so in a row. */
  #tell(news: string): void {
    if (news === this.#told) return;
    this.#told = news;
    this.#options.tell(news);
  }
}

/** Undefined for one that is not Discord's, nor of the server that stands in for it. */
export function gatewayAddress(address: string, base: string): URL | undefined {
  const url = URL.parse(address);
  const api = URL.parse(base);
  if (!url || !api || url.username !== "" || url.password !== "") return undefined;
  if (api.protocol === "http:")
    return url.protocol === "ws:" && url.hostname === api.hostname ? url : undefined;
  const isTheirs = url.hostname === api.hostname || /(?:^|\.)discord\.gg$/.test(url.hostname);
  return url.protocol === "wss:" && isTheirs ? url : undefined;
}

export function wrongToken({ remedy }: Pick<DiscordRefusal, "remedy">): ConnectorError {
  return new ConnectorError("discord", "Discord does not accept the bot's token.", remedy);
}
