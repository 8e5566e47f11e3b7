import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { Agent } from "node:https";
import { StringDecoder } from "node:string_decoder";
import type { ApiDoor } from "./api-door.ts";

// Imported by name, it brings along all that `fetch` needs, which takes ten times as long.
const { createServer, request: httpRequest } = process.getBuiltinModule("node:http");
const https = process.getBuiltinModule("node:https");

/** Of one connection, and none of the next one's business. */
const OF_THE_CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  // What an answer cost is read in it.
  "accept-encoding",
];

const NO_UPGRADE = "HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

export interface ApiProxyOptions {
  socket: string;
  door: ApiDoor;
  /** What may still be spent. */
  limitUsd: number | undefined;
  /** Variables of a proxy that this machine itself needs. */
  outside: Record<string, string>;
}

/**
 * Stands between a box and the model: on a socket that only this box has, for a token that only its program has. It adds
 * the key, so that there is none inside, and stops at the limit of the job, whoever inside asks.
 */
export class ApiProxy {
  readonly token = `sk-baton-${randomBytes(24).toString("base64url")}`;
  readonly #options: ApiProxyOptions;
  readonly #server: Server;
  readonly #agent: Agent;
  #spentUsd = 0;

  static async open(options: ApiProxyOptions): Promise<ApiProxy> {
    const proxy = new ApiProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject).listen(options.socket, resolve);
    });
    return proxy;
  }

  private constructor(options: ApiProxyOptions) {
    this.#options = options;
    this.#agent = new https.Agent({ keepAlive: true, proxyEnv: options.outside });
    this.#server = createServer((request, response) => this.#pass(request, response));
    // What goes over a socket of its own could not be counted. Programs that are told so ask in the usual way.
    this.#server.on("upgrade", (_request, socket) => socket.end(NO_UPGRADE));
    this.#server.requestTimeout = 0;
    this.#server.unref();
  }

  get spentUsd(): number {
    return this.#spentUsd;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { door } = this.#options;
    const refuse = (status: number, message: string) => {
      request.resume();
      response.writeHead(status, { "content-type": "application/json" }).end(door.refusal(message));
    };
    const target = this.#targetOf(request);
    if ("status" in target) {
      refuse(target.status, target.message);
      return;
    }
    const onward = target.protocol === "https:" ? https.request : httpRequest;
    const sent = onward(target, {
      method: request.method,
      headers: { ...this.#headersOf(request.headers), ...door.headers },
      ...(target.protocol === "https:" && { agent: this.#agent }),
    });
    sent.on("response", (answer) => this.#answer(answer, response));
    sent.on("error", (error) => {
      if (response.headersSent) response.destroy();
      else refuse(502, `Baton could not reach ${target.host}: ${error.message}`);
    });
    response.on("close", () => sent.destroy());
    request.pipe(sent);
  }

  /** Where a request goes, or why it goes nowhere. */
  #targetOf({ headers, url = "" }: IncomingMessage): URL | { status: number; message: string } {
    const { door, limitUsd } = this.#options;
    if (!this.#knows(headers)) return { status: 401, message: "Baton: this is not the token of this job." };
    if (limitUsd !== undefined && this.#spentUsd >= limitUsd) {
      return { status: 403, message: "Baton: the job has spent what it may spend (limits.cost_usd)." };
    }
    const base = new URL(door.upstream);
    const target = URL.parse(base.origin + base.pathname.replace(/\/$/, "") + url);
    const isPath = url.startsWith("/") && target?.origin === base.origin;
    return isPath ? target : { status: 400, message: "Baton: only a path leads further." };
  }

  #answer(answer: IncomingMessage, response: ServerResponse): void {
    const meter = this.#options.door.meter();
    const decoder = new StringDecoder("utf8");
    let counted = 0;
    const count = () => {
      this.#spentUsd += meter.costUsd - counted;
      counted = meter.costUsd;
    };
    response.writeHead(answer.statusCode ?? 502, without(answer.headers, OF_THE_CONNECTION));
    answer.on("data", (bytes: Buffer) => {
      meter.read(decoder.write(bytes));
      count();
    });
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  }

  #knows(headers: IncomingHttpHeaders): boolean {
    return this.#options.door.tokenHeaders.some((name) => {
      const given = String(headers[name] ?? "").replace(/^Bearer /i, "");
      const [one, other] = [Buffer.from(given), Buffer.from(this.token)];
      return one.length === other.length && timingSafeEqual(one, other);
    });
  }

  #headersOf(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    return without(headers, [...OF_THE_CONNECTION, ...this.#options.door.tokenHeaders]);
  }
}

function without(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
