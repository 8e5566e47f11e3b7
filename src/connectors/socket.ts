import diagnostics from "node:diagnostics_channel";
import { isFields } from "../util/json.ts";
import type { Clock } from "./clock.ts";

/** A WebSocket that could not be opened, or that was closed before it said anything. */
export class SocketError extends Error {
  override readonly name = "SocketError";
}

interface SocketOptions {
  clock: Clock;
  /** Each text, in order. */
  hear: (text: string) => void;
  openWithinMs: number;
  signal: AbortSignal;
}

/** Node answers pings by itself and says so here alone. Before Node 24 it does not say on which socket. */
const PINGS = diagnostics.channel("undici:websocket:ping");

/** The only place where the connection below a WebSocket is to be had, as a request that asks for one. */
const REQUESTS = diagnostics.channel("undici:client:sendHeaders");

/** A service may never close its side: Slack does not, and a machine that is gone cannot. */
const CLOSE_WITHIN_MS = 1_000;

/** Without a ping for this long, where they are seen to come, nobody is at the other end. */
const SILENT_MS = 40_000;
/** Where none has been seen, all that says nothing for this long is replaced to be sure. */
const SILENT_WITHOUT_PINGS_MS = 5 * 60_000;
const LOOK_EVERY_MS = 5_000;

/** One connection, from its opening to its end. Both are told; nothing in it tries again. */
export class Socket {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  readonly #below: () => { destroy(): void } | undefined;
  #lifeSignAt: number;
  #seesPings = false;
  /** How it ended: the code and the reason that the other side gave. */
  readonly closed: Promise<string>;
  /** The code alone, once it has ended. */
  code: number | undefined;

  static async open(url: string, options: SocketOptions): Promise<Socket> {
    options.signal.throwIfAborted();
    using below = connectionOf(url);
    const socket = new WebSocket(url);
    const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
    const ending = new AbortController();
    const giveUp = (why: string) => reject(new SocketError(why));
    const signal = AbortSignal.any([options.signal, ending.signal]);
    socket.addEventListener("open", () => resolve(), { signal });
    socket.addEventListener("error", () => giveUp("the connection could not be opened"), { signal });
    socket.addEventListener("close", () => giveUp("the connection was closed at once"), { signal });
    options.signal.addEventListener("abort", () => giveUp("it was ended"), { signal: ending.signal });
    options.clock.sleep(options.openWithinMs, signal).then(
      () => giveUp(`the connection did not open within ${options.openWithinMs} ms`),
      () => {},
    );
    const made = new Socket(socket, options, below.found);
    try {
      await opened;
      return made;
    } catch (error) {
      made.close();
      throw error;
    } finally {
      ending.abort();
    }
  }

  private constructor(
    socket: WebSocket,
    { clock, hear }: SocketOptions,
    below: () => { destroy(): void } | undefined,
  ) {
    this.#socket = socket;
    this.#below = below;
    this.#clock = clock;
    this.#lifeSignAt = clock.now();
    const pinged = (message: unknown) => this.#pinged(message);
    PINGS.subscribe(pinged);
    socket.addEventListener("message", ({ data }) => {
      this.#lifeSignAt = clock.now();
      if (typeof data === "string") hear(data);
    });
    // A failed connection closes as well: without a listener it would be an uncaught error.
    socket.addEventListener("error", () => {});
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code, reason }) => {
        PINGS.unsubscribe(pinged);
        this.#ending.abort();
        this.code = code;
        resolve(reason === "" ? `code ${code}` : `code ${code}, ${reason}`);
      });
    });
  }

  /** Resolves when nothing has come for too long; never, where it is closed before. */
  async silent(): Promise<void> {
    for (;;) {
      try {
        await this.#clock.sleep(LOOK_EVERY_MS, this.#ending.signal);
      } catch {
        return new Promise(() => {});
      }
      const most = this.#seesPings ? SILENT_MS : SILENT_WITHOUT_PINGS_MS;
      if (this.#clock.now() - this.#lifeSignAt >= most) return;
    }
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Whether it could be sent: to a connection that is closing nothing is. */
  send(text: string): boolean {
    if (!this.isOpen) return false;
    this.#socket.send(text);
    return true;
  }

  close(code = 1000): void {
    this.#socket.close(code);
    const { signal } = this.#ending;
    if (signal.aborted) return;
    const cut = setTimeout(() => this.#below()?.destroy(), CLOSE_WITHIN_MS).unref();
    signal.addEventListener("abort", () => clearTimeout(cut), { once: true });
  }

  #pinged(message: unknown): void {
    const on = typeof message === "object" && message !== null && "websocket" in message && message.websocket;
    if (on && on !== this.#socket) return;
    this.#seesPings = true;
    this.#lifeSignAt = this.#clock.now();
  }
}

/** What a WebSocket to this address is on, from when it asks to be one. */
function connectionOf(url: string): Disposable & { found: () => { destroy(): void } | undefined } {
  const wanted = URL.parse(url.replace(/^ws/, "http"))?.href;
  let connection: { destroy(): void } | undefined;
  const asked = (message: unknown) => {
    if (!isRequest(message)) return;
    const { origin, path } = message.request;
    if (URL.parse(path, String(origin))?.href === wanted) connection = message.socket;
  };
  REQUESTS.subscribe(asked);
  return { found: () => connection, [Symbol.dispose]: () => void REQUESTS.unsubscribe(asked) };
}

function isRequest(
  message: unknown,
): message is { request: { origin: unknown; path: string }; socket: { destroy(): void } } {
  if (!isFields(message) || !isFields(message.request)) return false;
  const { request, socket } = message;
  return typeof request.path === "string" && isFields(socket) && typeof socket.destroy === "function";
}
