import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { WebSocket, WebSocketServer } from "ws";

export const HEARTBEAT_MS = 41_250;
const KNOWN_INTENTS = (1 << 26) - 1;
export const MESSAGE_CONTENT = 1 << 15;

interface Session {
  id: string;
  intents: number;
  sent: { t: string; s: number; d: object }[];
  client: WebSocket | undefined;
}

interface GatewayOptions {
  token: () => string;
  allowedIntents: () => number;
  url: () => string;
  ready: () => object;
  /** What a session is told first, as Discord tells it. */
  first: () => { t: string; d: object }[];
  changed: () => void;
}

/** Discord's gateway: sessions that can be continued, and events that each has a number of its own. */
export class FakeGateway {
  readonly #options: GatewayOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #clients = new Set<WebSocket>();
  identified: { intents: number; presence?: object }[] = [];
  resumed: { seq: number; replayed: number }[] = [];
  beats = 0;
  closedWith: number[] = [];
  /** Where sessions are told to continue, in place of here. */
  resumesAt: string | undefined;
  /** As of one that is gone without saying so. */
  acksBeats = true;

  constructor(http: Server, options: GatewayOptions) {
    this.#options = options;
    http.on("upgrade", (request, socket, head) => {
      const { searchParams } = new URL(request.url ?? "", "http://localhost");
      if (searchParams.get("v") !== "10" || searchParams.get("encoding") !== "json") {
        socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        return;
      }
      this.#server.handleUpgrade(request, socket, head, (client) => this.#greet(client));
    });
  }

  get size(): number {
    return [...this.#sessions.values()].filter(({ client }) => client !== undefined).length;
  }

  get intents(): number {
    return [...this.#sessions.values()].at(-1)?.intents ?? 0;
  }

  #greet(client: WebSocket): void {
    this.#clients.add(client);
    client.on("message", (data) => this.#heard(client, JSON.parse(String(data))));
    client.on("close", (code) => {
      this.closedWith.push(code);
      this.#clients.delete(client);
      for (const session of this.#sessions.values()) {
        if (session.client !== client) continue;
        session.client = undefined;
        if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
      }
      this.#options.changed();
    });
    send(client, { op: 10, d: { heartbeat_interval: HEARTBEAT_MS } });
  }

  #heard(client: WebSocket, { op, d }: { op: number; d: never }): void {
    if (op === 1) {
      this.beats += 1;
      if (this.acksBeats) send(client, { op: 11 });
    } else if (op === 2) this.#identify(client, d);
    else if (op === 6) this.#resume(client, d);
    this.#options.changed();
  }

  #identify(client: WebSocket, d: { token: string; intents: number; presence?: object }): void {
    const { token, allowedIntents, first, ready, url } = this.#options;
    if (d.token !== token()) {
      client.close(4004, "Authentication failed.");
      return;
    }
    if (d.intents & ~KNOWN_INTENTS) {
      client.close(4013, "Invalid intent(s).");
      return;
    }
    if (d.intents & ~allowedIntents()) {
      client.close(4014, "Disallowed intent(s).");
      return;
    }
    this.identified.push({ intents: d.intents, ...(d.presence && { presence: d.presence }) });
    const session: Session = { id: randomUUID(), intents: d.intents, sent: [], client };
    this.#sessions.set(session.id, session);
    this.#tell(session, "READY", {
      ...ready(),
      session_id: session.id,
      resume_gateway_url: this.resumesAt ?? url(),
    });
    for (const { t, d: data } of first()) this.#tell(session, t, data);
  }

  #resume(client: WebSocket, d: { token: string; session_id: string; seq: number }): void {
    if (d.token !== this.#options.token()) {
      client.close(4004, "Authentication failed.");
      return;
    }
    const session = this.#sessions.get(d.session_id);
    if (!session || d.seq > session.sent.length) {
      send(client, { op: 9, d: false });
      return;
    }
    session.client = client;
    const missed = session.sent.filter(({ s }) => s > d.seq);
    this.resumed.push({ seq: d.seq, replayed: missed.length });
    for (const each of missed) send(client, { op: 0, ...each });
    this.#tell(session, "RESUMED", {});
  }

  #tell(session: Session, t: string, d: object): void {
    const event = { t, s: session.sent.length + 1, d };
    session.sent.push(event);
    if (session.client) send(session.client, { op: 0, ...event });
  }

  /** Sessions hear of it now, or when they are continued. */
  tell(t: string, d: object): void {
    for (const session of this.#sessions.values()) this.#tell(session, t, d);
  }

  say(op: number, d: unknown = null): void {
    for (const client of this.#clients) send(client, { op, d });
  }

  /** Sessions are forgotten, as after a long time. */
  forget(): void {
    this.#sessions.clear();
  }

  close(code: number, reason = ""): void {
    for (const client of this.#clients) client.close(code, reason);
  }

  /** Without a word. */
  drop(): void {
    for (const client of this.#clients) client.terminate();
  }

  async end(): Promise<void> {
    this.drop();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function send(client: WebSocket, payload: object): void {
  if (client.readyState === WebSocket.OPEN)
    client.send(JSON.stringify({ t: null, s: null, d: null, ...payload }));
}
