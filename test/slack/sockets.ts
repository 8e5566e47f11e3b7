import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../src/connectors/clock.ts";

const RESEND_MS = 3_000;
const MOST_RESENDS = 3;
const MOST_SOCKETS = 10;

interface Envelope {
  envelope_id: string;
  type: string;
  accepts_response_payload: boolean;
  retry_attempt: number;
  retry_reason: string;
  payload: object;
}

export interface Delivery {
  type: string;
  payload: object;
  /** On how many sockets it was told, one after the other. */
  told: number;
  isAcked: boolean;
  /** What came with the ack. */
  answer?: unknown;
  /** Nobody listened when it happened. */
  isLost: boolean;
}

/** Socket Mode: tickets that work once, and each event on one socket at a time. */
export class Sockets {
  readonly deliveries: Delivery[] = [];
  readonly #open: WebSocket[] = [];
  readonly #tickets = new Set<string>();
  readonly #unacked = new Map<string, Delivery>();
  /** What was told under each id: a late ack of the first telling is one, too. */
  readonly #told = new Map<string, Delivery>();
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #ending = new AbortController();
  readonly #server = new WebSocketServer({ noServer: true });
  #turn = 0;
  /** How many connections there have been. */
  greeted = 0;
  pongs = 0;
  /** What acks are held back for, as if they got lost. */
  dropsAcks = false;

  constructor(http: Server, clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
    http.on("upgrade", (request, socket, head) => {
      const url = new URL(request.url ?? "", "http://localhost");
      const ticket = url.searchParams.get("ticket") ?? "";
      if (url.pathname !== "/link/" || !this.#tickets.delete(ticket)) {
        socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n");
        return;
      }
      this.#server.handleUpgrade(request, socket, head, (client) => this.#greet(client, request));
    });
  }

  get size(): number {
    return this.#open.length;
  }

  ticket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return ticket;
  }

  #greet(client: WebSocket, _: IncomingMessage): void {
    if (this.#open.length >= MOST_SOCKETS) {
      client.send(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
      client.close();
      return;
    }
    this.#open.push(client);
    this.greeted += 1;
    client.on("pong", () => {
      this.pongs += 1;
      this.#changed();
    });
    client.on("message", (data) => this.#acked(JSON.parse(String(data))));
    client.on("close", () => {
      const at = this.#open.indexOf(client);
      if (at !== -1) this.#open.splice(at, 1);
      this.#changed();
    });
    const debug_info = { host: "applink-1", approximate_connection_time: 18060 };
    client.send(JSON.stringify({ type: "hello", num_connections: this.#open.length, debug_info }));
    this.#changed();
  }

  /** Something happened: one socket hears of it, and another one where nobody acknowledges it. */
  deliver(type: string, payload: object): Delivery {
    const delivery: Delivery = { type, payload, told: 0, isAcked: false, isLost: false };
    this.deliveries.push(delivery);
    this.#tell(delivery, randomUUID());
    return delivery;
  }

  #tell(delivery: Delivery, id: string): void {
    const client = this.#open[this.#turn++ % Math.max(1, this.#open.length)];
    if (!client || client.readyState !== WebSocket.OPEN) {
      delivery.isLost = true;
      this.#changed();
      return;
    }
    const envelope: Envelope = {
      envelope_id: id,
      type: delivery.type,
      accepts_response_payload: delivery.type !== "events_api",
      retry_attempt: delivery.told,
      retry_reason: delivery.told === 0 ? "" : "timeout",
      payload: delivery.payload,
    };
    delivery.told += 1;
    this.#unacked.set(id, delivery);
    this.#told.set(id, delivery);
    client.send(JSON.stringify(envelope));
    this.#clock.sleep(RESEND_MS, this.#ending.signal).then(
      () => {
        if (delivery.isAcked || !this.#unacked.delete(id) || delivery.told > MOST_RESENDS) return;
        this.#tell(delivery, randomUUID());
      },
      () => {},
    );
  }

  #acked({ envelope_id, payload }: { envelope_id: string; payload?: unknown }): void {
    const delivery = this.#told.get(envelope_id);
    if (!delivery || delivery.isAcked || this.dropsAcks) return;
    for (const [id, each] of this.#unacked) if (each === delivery) this.#unacked.delete(id);
    delivery.isAcked = true;
    delivery.answer = payload;
    this.#changed();
  }

  /** Slack tells what nobody acknowledged a minute later: now. */
  tellAgain(): void {
    const unacked = [...this.#unacked];
    this.#unacked.clear();
    for (const [, delivery] of unacked) this.#tell(delivery, randomUUID());
  }

  /** Says that the sockets of now will end, and ends them once somebody else has come. */
  warn(reason = "warning"): void {
    for (const client of this.#open) client.send(JSON.stringify({ type: "disconnect", reason }));
  }

  ping(): void {
    for (const client of this.#open) client.ping("Ping from applink-1");
  }

  /** Without a word. */
  drop(): void {
    for (const client of [...this.#open]) client.terminate();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.drop();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
