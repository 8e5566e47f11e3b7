import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

// Imported by name, it brings along all that `fetch` needs, which takes ten times as long.
const { createServer, request: httpRequest } = process.getBuiltinModule("node:http");

/** How many hosts are told of, so that nothing inside can fill a journal. */
const MOST_TOLD = 200;
const USUAL_PORTS = [80, 443];

export interface NetworkProxyOptions {
  socket: string;
  /** Names of hosts, with `*.` before one for all below it, and `:port` behind one for another port. */
  allowed: readonly string[];
  /** Of the first attempt to reach a host that is not allowed. */
  onDenied: (host: string) => void;
}

/** The only way out of a box: for the hosts that the user named, and a sentence for all others. */
export class NetworkProxy {
  readonly #options: NetworkProxyOptions;
  readonly #server: Server;
  readonly #told = new Set<string>();
  readonly #open = new Set<Socket>();

  static async open(options: NetworkProxyOptions): Promise<NetworkProxy> {
    const proxy = new NetworkProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject).listen(options.socket, resolve);
    });
    return proxy;
  }

  private constructor(options: NetworkProxyOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => this.#pass(request, response));
    this.#server.on("connect", (request, socket) => this.#connect(request, socket));
    this.#server.unref();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#open) socket.destroy();
  }

  /** What is encrypted from one end to the other: Baton sees the name of the host alone. */
  #connect({ url = "" }: IncomingMessage, inside: Duplex): void {
    const { hostname, port } = URL.parse(`http://${url}`) ?? { hostname: "", port: "" };
    const at = Number(port) || 443;
    inside.on("error", () => {});
    if (!this.#allows(hostname, at)) {
      const said = this.#denied(hostname, at);
      inside.end(
        `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(said)}\r\n\r\n${said}`,
      );
      return;
    }
    const outside = connect(at, hostname);
    this.#open.add(outside);
    outside.once("connect", () => {
      inside.write("HTTP/1.1 200 OK\r\n\r\n");
      inside.pipe(outside).pipe(inside);
    });
    outside.once("error", () => inside.destroy()).once("close", () => this.#open.delete(outside));
    inside.once("close", () => outside.destroy());
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const target = URL.parse(request.url ?? "");
    const at = Number(target?.port) || 80;
    if (target?.protocol !== "http:" || !this.#allows(target.hostname, at)) {
      const said = this.#denied(target?.hostname ?? "", at);
      response.writeHead(403, { "content-type": "text/plain" }).end(said);
      return;
    }
    const { "proxy-connection": _ours, "proxy-authorization": _his, ...headers } = request.headers;
    const sent = httpRequest(target, { method: request.method, headers });
    sent.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on("error", (error) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(`Baton could not reach ${target.host}: ${error.message}\n`);
    });
    request.pipe(sent);
  }

  #allows(host: string, port: number): boolean {
    return this.#options.allowed.some((written) => isAllowed(written, host, port));
  }

  #denied(host: string, port: number): string {
    const where = USUAL_PORTS.includes(port) ? host : `${host}:${port}`;
    if (!this.#told.has(where) && this.#told.size < MOST_TOLD) {
      this.#told.add(where);
      this.#options.onDenied(where);
    }
    return `Baton: ${where} cannot be reached from this container. Its user can allow it: docker: { network: { allow: [${where}] } }\n`;
  }
}

/** Whether what the user wrote allows this host. Names are compared as names: `example.com` allows no `badexample.com`. */
export function isAllowed(written: string, host: string, port: number): boolean {
  const [name = "", at] = written.toLowerCase().split(":");
  const isPort = at === undefined ? USUAL_PORTS.includes(port) : Number(at) === port;
  const wanted = host.toLowerCase();
  if (!name.startsWith("*.")) return isPort && wanted === name;
  return isPort && wanted.endsWith(name.slice(1));
}
