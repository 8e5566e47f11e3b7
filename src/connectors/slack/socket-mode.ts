import { z } from "zod";
import { fromJson } from "../../util/json.ts";
import { aborted, backoffMs, type Clock } from "../clock.ts";
import { ConnectorError, troubleIn, UndeliveredError } from "../error.ts";
import { Socket, SocketError } from "../socket.ts";
import { isOfToken } from "./refusals.ts";
import { type SlackApi, SlackRefusal } from "./web-api.ts";

const OPEN_WITHIN_MS = 15_000;
/** A connection that another has replaced may still bring what was on its way. */
const GRACE_MS = 10_000;
/** One that lived this long was a good one: the next failure is a first one again. */
const LIVED_MS = 30_000;
/** Of failures in a row, where Slack says that there are too many connections. */
const CROWDED = 5;

const Envelope = z.object({
  type: z.string().max(100),
  envelope_id: z.string().max(200).optional(),
  payload: z.unknown().optional(),
  reason: z.string().max(200).optional(),
  num_connections: z.number().optional(),
});

type Envelope = z.infer<typeof Envelope>;

const Opened = z.object({ url: z.string().max(4_000) });

/** Why a connection is no longer the one to hear on. */
type LinkEnd = "replace" | "silent" | "dropped" | "crowded" | "disabled";

export interface SocketModeOptions {
  /** With the app's own token. */
  api: SlackApi;
  /** Slack is asked over TLS, as by everybody but a test: then its events come so too. */
  isSecure: boolean;
  clock: Clock;
  random: () => number;
  /** Resolves once it is on record. */
  told: (type: string, payload: unknown) => Promise<void>;
  /** It listens, and for a while before that it may not have. */
  listens: () => void;
  /** For the log: how the connection fares. */
  tell: (news: string) => void;
}

/** Slack's Socket Mode. A connection that is about to end is replaced first, so that nothing is said to nobody. */
export class SocketMode {
  readonly #options: SocketModeOptions;
  readonly #links = new Set<Link>();
  #told = "";

  constructor(options: SocketModeOptions) {
    this.#options = options;
  }

  /** Until the signal aborts. Rejects with ConnectorError where no other try can help. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, listens } = this.#options;
    let current: Link | undefined;
    let isWithoutGap = false;
    let failures = 0;
    try {
      while (!signal.aborted) {
        // After the first failure at once: any connection may drop.
        await clock.sleep(backoffMs(failures - 1, random), signal);
        const next = await this.#open(signal);
        if (!next) {
          failures += 1;
          continue;
        }
        if (!isWithoutGap || !current?.isOpen) listens();
        if (current) this.#retire(current, signal);
        current = next;
        this.#tell("Slack is connected");
        const began = clock.now();
        const end = await Promise.race([current.end, aborted(signal)]);
        if (end === "disabled") throw switchedOff();
        isWithoutGap = end === "replace";
        failures = clock.now() - began >= LIVED_MS ? 0 : failures + 1;
        if (end === "crowded") failures = Math.max(failures, this.#crowded());
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const link of this.#links) link.close();
    }
  }

  #crowded(): number {
    this.#tell("Slack refuses this connection: the app's token has more than ten already");
    return CROWDED;
  }

  /** Undefined where it failed in a way that may pass. */
  async #open(signal: AbortSignal): Promise<Link | undefined> {
    const { api, isSecure } = this.#options;
    try {
      const { url } = await api.call("apps.connections.open", {}, Opened, { signal, again: false });
      const address = URL.parse(url);
      if (!address || address.protocol !== (isSecure ? "wss:" : "ws:")) {
        throw new SocketError("Slack named an address for events that is none of its own");
      }
      const link = await Link.open(url, this.#options, signal);
      this.#links.add(link);
      void link.closed.then(() => this.#links.delete(link));
      if (link.others > this.#links.size) this.#notAlone();
      return link;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof SlackRefusal && isOfToken(error.code)) throw wrongToken(error);
      if (error instanceof ConnectorError) throw error;
      if (!(error instanceof UndeliveredError) && !(error instanceof SocketError)) throw error;
      this.#tell(`Slack cannot be reached: ${troubleIn(error)}. Trying again`);
      return undefined;
    }
  }

  #notAlone(): void {
    this.#tell(
      "Another program is connected with the same app token. Slack gives each event to one of them only: stop the other, or give it an app of its own",
    );
  }

  #retire(link: Link, signal: AbortSignal): void {
    this.#options.clock.sleep(GRACE_MS, signal).then(
      () => link.close(),
      () => {},
    );
  }

  /** Once, however often it is so in a row. */
  #tell(news: string): void {
    if (news === this.#told) return;
    this.#told = news;
    this.#options.tell(news);
  }
}

/** One connection that Slack has greeted. */
class Link {
  readonly #socket: Socket;
  readonly end: Promise<LinkEnd>;
  /** How many Slack counts with this one. */
  readonly others: number;

  static async open(url: string, options: SocketModeOptions, signal: AbortSignal): Promise<Link> {
    const greeted = Promise.withResolvers<number>();
    const parting = Promise.withResolvers<LinkEnd>();
    const hear = (text: string) => {
      const { data } = Envelope.safeParse(fromJson(text));
      if (data?.type === "hello") greeted.resolve(data.num_connections ?? 1);
      else if (data?.type === "disconnect") parting.resolve(partingOf(data));
      else if (data?.envelope_id !== undefined) void receive(data, data.envelope_id);
    };
    const receive = async ({ type, payload }: Envelope, id: string) => {
      try {
        await options.told(type, payload);
        // Where it is closed by now, Slack tells it again elsewhere, and it is known.
        socket.send(JSON.stringify({ envelope_id: id }));
      } catch (error) {
        options.tell(`An event of Slack is not on record, and will come again: ${troubleIn(error)}`);
      }
    };
    const socket = await Socket.open(url, {
      clock: options.clock,
      hear,
      openWithinMs: OPEN_WITHIN_MS,
      signal,
    });
    const waiting = new AbortController();
    const late = AbortSignal.any([signal, waiting.signal]);
    try {
      const first = await Promise.race([
        greeted.promise,
        parting.promise,
        socket.closed,
        options.clock.sleep(OPEN_WITHIN_MS, late).then(() => "no greeting"),
      ]);
      if (typeof first !== "number") {
        socket.close();
        if (first === "disabled") throw switchedOff();
        throw new SocketError(`the connection was not greeted (${first})`);
      }
      return new Link(socket, parting.promise, first);
    } finally {
      waiting.abort();
    }
  }

  private constructor(socket: Socket, parting: Promise<LinkEnd>, others: number) {
    this.#socket = socket;
    this.others = others;
    this.end = Promise.race([
      parting,
      socket.silent().then((): LinkEnd => "silent"),
      socket.closed.then((): LinkEnd => "dropped"),
    ]);
  }

  get closed(): Promise<string> {
    return this.#socket.closed;
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  close(): void {
    this.#socket.close();
  }
}

function partingOf({ reason }: Envelope): LinkEnd {
  if (reason === "link_disabled") return "disabled";
  return reason === "too_many_websockets" ? "crowded" : "replace";
}

function switchedOff(): ConnectorError {
  return new ConnectorError(
    "slack",
    "Socket Mode is switched off for this Slack app.",
    "Switch it on under “Socket Mode” on the page of the app, and restart Baton.",
  );
}

function wrongToken({ code, remedy }: SlackRefusal): ConnectorError {
  return new ConnectorError("slack", `Slack does not accept the app token (${code}).`, remedy);
}
