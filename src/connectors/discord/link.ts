import { z } from "zod";
import { fromJson } from "../../util/json.ts";
import { version } from "../../version.ts";
import type { Clock } from "../clock.ts";
import { ConnectorError } from "../error.ts";
import { Socket, SocketError } from "../socket.ts";

const OPEN_WITHIN_MS = 15_000;
/** Any code but 1000 and 1001, after which Discord forgets the session. */
const CLOSE_TO_RESUME = 4_000;

const Payload = z.object({
  op: z.number(),
  t: z.string().max(100).nullish(),
  s: z.number().int().nullish(),
  d: z.unknown().optional(),
});
const Hello = z.object({ heartbeat_interval: z.number().positive() });
const Ready = z.object({ session_id: z.string().max(200), resume_gateway_url: z.string().max(4_000) });

/** Why a connection is no longer the one to hear on. `failed`: to be resumed, but not at once. */
type LinkEnd = "resume" | "failed" | "anew";

/** What Discord keeps of a bot while it is away. */
export interface Session {
  id: string;
  /** Where it continues. */
  url: string;
  /** The last event of it that is on record. */
  recorded: number;
  /** One was not recorded: those after it come again with it. */
  isStuck: boolean;
}

interface LinkOptions {
  token: string;
  intents: number;
  presence: object | undefined;
  clock: Clock;
  random: () => number;
  /** Continued, where there is one. */
  session: Session | undefined;
  began: (session: Session) => void;
  dispatched: (type: string, data: unknown, sequence: number, giveUp: () => void) => void;
}

/** One connection that Discord has greeted, with its heartbeats. */
export class Link {
  readonly #options: LinkOptions;
  readonly #ended = Promise.withResolvers<LinkEnd>();
  readonly #greeted = Promise.withResolvers<"greeted">();
  readonly #beating = new AbortController();
  #socket: Socket | undefined;
  #sequence: number | null;
  #isAcked = true;

  static async open(url: string, options: LinkOptions, signal: AbortSignal): Promise<Link> {
    const link = new Link(options);
    await link.#open(url, signal);
    return link;
  }

  private constructor(options: LinkOptions) {
    this.#options = options;
    this.#sequence = options.session?.recorded ?? null;
    // Nobody may wait for it yet.
    this.#ended.promise.catch(() => {});
  }

  /** Rejects with ConnectorError where no other connection can work. */
  get end(): Promise<LinkEnd> {
    return this.#ended.promise;
  }

  close(toResume: boolean): void {
    this.#beating.abort();
    this.#socket?.close(toResume ? CLOSE_TO_RESUME : 1_000);
  }

  async #open(url: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const socket = await Socket.open(url, {
      clock,
      hear: (text) => this.#hear(text),
      openWithinMs: OPEN_WITHIN_MS,
      signal,
    });
    this.#socket = socket;
    void socket.closed.then(() => this.#closed(socket.code ?? 1006));
    const waiting = new AbortController();
    const late = AbortSignal.any([signal, waiting.signal]);
    try {
      const first = await Promise.race([
        this.#greeted.promise,
        this.#ended.promise,
        clock.sleep(OPEN_WITHIN_MS, late).then(() => "late" as const),
      ]);
      if (first === "late") throw new SocketError("the connection was not greeted");
      if (first === "failed" || first === "resume")
        throw new SocketError("the connection was closed at once");
    } catch (error) {
      this.close(true);
      throw error;
    } finally {
      waiting.abort();
    }
  }

  #hear(text: string): void {
    const { data: payload } = Payload.safeParse(fromJson(text));
    if (!payload) return;
    const { op, d, t, s } = payload;
    switch (op) {
      case 0:
        if (s != null) this.#sequence = s;
        this.#dispatch(t ?? "", d, s ?? 0);
        break;
      case 1:
        this.#beat();
        break;
      case 7:
        this.#ended.resolve("resume");
        break;
      case 9:
        this.#ended.resolve(d === true ? "resume" : "anew");
        break;
      case 10: {
        const { data: hello } = Hello.safeParse(d);
        if (hello) this.#greet(hello.heartbeat_interval);
        break;
      }
      case 11:
        this.#isAcked = true;
    }
  }

  #greet(intervalMs: number): void {
    void this.#beats(intervalMs);
    const { token, intents, presence, session } = this.#options;
    if (session) {
      session.isStuck = false;
      this.#send(6, { token, session_id: session.id, seq: session.recorded });
      return;
    }
    const properties = { os: process.platform, browser: `baton ${version()}`, device: "baton" };
    this.#send(2, { token, intents, properties, ...(presence && { presence }) });
  }

  #dispatch(type: string, data: unknown, sequence: number): void {
    if (type === "READY") {
      const { data: ready } = Ready.safeParse(data);
      if (!ready) return;
      const { session_id: id, resume_gateway_url: url } = ready;
      this.#options.began({ id, url, recorded: sequence, isStuck: false });
    }
    this.#options.dispatched(type, data, sequence, () => this.#ended.resolve("failed"));
    if (type === "READY" || type === "RESUMED") this.#greeted.resolve("greeted");
  }

  /** Until it ends. The first comes after a part of the time, or all bots would beat at once after an outage. */
  async #beats(intervalMs: number): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#beating;
    try {
      for (let wait = intervalMs * random(); ; wait = intervalMs) {
        await clock.sleep(wait, signal);
        if (!this.#isAcked) break;
        this.#isAcked = false;
        this.#beat();
      }
      // The last one was never answered: nobody is at the other end.
      this.#ended.resolve("resume");
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #beat(): void {
    this.#send(1, this.#sequence);
  }

  #send(op: number, d: unknown): void {
    this.#socket?.send(JSON.stringify({ op, d }));
  }

  #closed(code: number): void {
    this.#beating.abort();
    const error = refusedWith(code);
    if (error) this.#ended.reject(error);
    // The session is over, or what we said of it was wrong.
    else if (code === 4007 || code === 4009) this.#ended.resolve("anew");
    else this.#ended.resolve("resume");
  }
}

/** Codes after which every other connection would end in the same way. */
function refusedWith(code: number): ConnectorError | undefined {
  const why = (problem: string, remedy: string) => new ConnectorError("discord", problem, remedy);
  switch (code) {
    case 4004:
      return why(
        "Discord does not accept the bot's token.",
        "Copy the token again: “Bot”, “Reset Token” on the page of the application.",
      );
    case 4010:
    case 4011:
      return why(
        "Discord wants this bot to have more than one connection (shards): it is on too many servers.",
        "Give Baton a bot of its own.",
      );
    case 4012:
      return why("Discord no longer speaks version 10 of its gateway.", "Update Baton.");
    case 4013:
      return why("Discord does not know the intents that Baton asks for.", "Update Baton.");
    case 4014:
      return why(
        "Discord does not let this bot read what people write: the message content intent is off.",
        "Switch on “Message Content Intent” under “Bot” on the page of the application, and restart Baton.",
      );
    default:
      return undefined;
  }
}
