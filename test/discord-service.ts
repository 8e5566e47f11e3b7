import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { CLOCK, type Clock } from "../src/connectors/clock.ts";
import { FakeGateway, MESSAGE_CONTENT } from "./discord/gateway.ts";
import { type Asked, answerTo, type Request, type State } from "./discord/routes.ts";
import {
  ADA,
  APPLICATION,
  BOT_USER,
  C1,
  GUILD,
  Refused,
  ROLE,
  type StoredMessage,
  World,
} from "./discord/world.ts";

export const DISCORD_BOT_TOKEN = "not-a-real-token-of-a-discord-bot";
/** Of posts and edits, apart, in each channel. */
const BUCKET = { limit: 5, ms: 5_000 };

type Fault =
  | { kind: "limit"; seconds: number; isGlobal?: boolean }
  | { kind: "status"; status: number }
  /** The connection breaks before Discord has done it, or after. */
  | { kind: "break"; after: boolean };

/** Discord on 127.0.0.1: its API and its gateway, as far as a chat needs them, with what they enforce. */
export async function startDiscordService(options: { clock?: Clock } = {}): Promise<DiscordService> {
  const service = new DiscordService(new World(options.clock ?? CLOCK));
  await service.listen();
  onTestFinished(() => service.close());
  return service;
}

export class DiscordService implements State {
  readonly world: World;
  readonly interactions = new Map<string, Asked>();
  readonly commands: State["commands"] = new Map();
  readonly calls: (Omit<Request, "query" | "files"> & { at: number })[] = [];
  readonly gateway: FakeGateway;
  token = DISCORD_BOT_TOKEN;
  /** Whether the message content intent is on. */
  hasContentIntent = true;
  /** Whether a call still arrives, and its answer: as of a caller that dies in between. */
  reaches: (call: Pick<Request, "method" | "path">) => "all" | "there" | "nothing" = () => "all";
  /** Of everybody on the server. */
  permissions = "309237746752";
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  readonly #faults: { path: RegExp; fault: Fault }[] = [];
  readonly #buckets = new Map<string, number[]>();
  readonly #waiting = new Set<() => void>();

  constructor(world: World) {
    this.world = world;
    this.gateway = new FakeGateway(this.#http, {
      token: () => this.token,
      allowedIntents: () => ((1 << 26) - 1) & (this.hasContentIntent ? -1 : ~MESSAGE_CONTENT),
      url: () => this.url.replace("http", "ws"),
      ready: () => ({
        v: 10,
        user: world.users.get(BOT_USER),
        guilds: [{ id: GUILD, unavailable: true }],
        application: { id: APPLICATION, flags: 0 },
      }),
      first: () => [{ t: "GUILD_CREATE", d: this.#guild() }],
      changed: () => this.changed(),
    });
  }

  reads = (): boolean => (this.gateway.intents & MESSAGE_CONTENT) !== 0 || this.hasContentIntent;

  told = (type: string, data: object): void => this.gateway.tell(type, data);

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
  }

  async close(): Promise<void> {
    await this.gateway.end();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get apiUrl(): string {
    return `${this.url}/api`;
  }

  /** Resolves with the first thing that `look` finds, now or after something has happened. */
  async when<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Something has happened, here or with whoever talks to it. */
  changed(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** The next calls of a path go wrong in this way, one each. */
  fault(path: RegExp, ...faults: Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ path, fault })));
  }

  callsOf(method: string, path: RegExp): DiscordService["calls"] {
    return this.calls.filter((call) => call.method === method && path.test(call.path));
  }

  /** What the bot has said in a channel or a thread. */
  said(channel: string): StoredMessage[] {
    return (this.world.channels.get(channel)?.messages ?? []).filter(({ author }) => author.id === BOT_USER);
  }

  /** A person writes. */
  say(
    channel: string,
    text: string,
    { by = ADA, more = {} }: { by?: string; more?: object } = {},
  ): StoredMessage {
    const message = this.world.put(channel, by, text, { more });
    const reads = (this.gateway.intents & MESSAGE_CONTENT) !== 0;
    this.told("MESSAGE_CREATE", this.world.shown(message, { reads, isEvent: true }));
    return message;
  }

  press(message: StoredMessage, label: string, by = ADA): Asked {
    const button = message.components
      .flatMap(({ components }) => components)
      .find((each) => each.label === label);
    if (!button) throw new Error(`no button says ${label}`);
    const shown = this.world.shown(message, { reads: true, isEvent: false });
    const data = { custom_id: button.custom_id, component_type: 2 };
    return this.#interact(message.channel_id, 3, { message: shown, data }, by);
  }

  command(name: string, given: Record<string, string> = {}, channel = C1, by = ADA): Asked {
    const options = Object.entries(given).map(([key, value]) => ({ name: key, type: 3, value }));
    return this.#interact(channel, 2, { data: { id: this.world.nextId(), name, type: 1, options } }, by);
  }

  #interact(channel: string, type: number, more: object, by: string): Asked {
    const id = this.world.nextId();
    const token = `interaction-${id}`;
    const asked: Asked = { at: this.world.clock.now(), said: [] };
    this.interactions.set(token, asked);
    const user = this.world.users.get(by);
    const member = {
      user,
      nick: null,
      roles: [],
      permissions: "0",
      joined_at: "2026-01-01T00:00:00Z",
      flags: 0,
    };
    this.told("INTERACTION_CREATE", {
      ...{ id, token, type, version: 1, application_id: APPLICATION, channel_id: channel, guild_id: GUILD },
      channel: this.world.shownChannel(this.world.channel(channel)),
      ...{ member, locale: "en-US", guild_locale: "en-US", entitlements: [], app_permissions: "0", ...more },
      ...{ authorizing_integration_owners: { 0: GUILD }, context: 0, attachment_size_limit: 1_000_000 },
    });
    return asked;
  }

  #guild(): object {
    const shown = [...this.world.channels.values()].filter(({ type }) => type !== 1);
    const of = (isThread: boolean) =>
      shown.filter(({ type }) => (type === 11) === isThread).map((each) => this.world.shownChannel(each));
    return {
      ...{ id: GUILD, name: "Acme", owner_id: ADA, member_count: 3, large: false, unavailable: false },
      roles: [
        { id: GUILD, name: "@everyone", permissions: this.permissions, position: 0, color: 0 },
        { id: ROLE, name: "baton", permissions: "0", position: 1, color: 0, tags: { bot_id: BOT_USER } },
      ],
      ...{ channels: of(false), threads: of(true), members: [], presences: [], voice_states: [] },
      ...{ emojis: [], stickers: [], stage_instances: [], guild_scheduled_events: [], features: [] },
      ...{ joined_at: "2026-01-01T00:00:00Z", premium_tier: 0, nsfw_level: 0, system_channel_flags: 0 },
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request);
    const url = new URL(request.url ?? "", "http://localhost");
    if (url.pathname.startsWith("/attachments/")) {
      response.writeHead(200).end(`content of ${url.pathname.split("/").at(-1)}`);
      return;
    }
    const path = url.pathname.replace(/^\/api\/v10/, "");
    const given: Request = {
      ...{ method: request.method ?? "", path, query: url.searchParams },
      ...(await bodyOf(request, bytes)),
    };
    this.#answer(given, request, response);
    this.changed();
  }

  #answer(given: Request, request: IncomingMessage, response: ServerResponse): void {
    const json = (status: number, answer?: unknown, headers = {}) =>
      response
        .writeHead(status, {
          ...(answer !== undefined && { "content-type": "application/json" }),
          ...headers,
        })
        .end(answer === undefined ? undefined : JSON.stringify(answer));
    const way = this.reaches(given);
    if (way === "nothing") return void request.socket.destroy();
    const at = this.#faults.findIndex(({ path }) => path.test(given.path));
    const fault = at === -1 ? undefined : this.#faults.splice(at, 1)[0]?.fault;
    if (fault?.kind === "break" && !fault.after) return void request.socket.destroy();
    if (fault?.kind === "status") return void json(fault.status, { message: "upstream connect error" });
    const limited = (seconds: number, isGlobal = false) => {
      const body = { message: "You are being rate limited.", retry_after: seconds, global: isGlobal };
      json(429, body, {
        "retry-after": String(Math.ceil(seconds)),
        ...(isGlobal && { "x-ratelimit-global": "true" }),
      });
    };
    if (fault?.kind === "limit") {
      limited(fault.seconds, fault.isGlobal);
      return;
    }
    const isWithToken = !/^\/(interactions|webhooks)\//.test(given.path);
    if (isWithToken && request.headers.authorization !== `Bot ${this.token}`)
      return void json(401, { message: "401: Unauthorized", code: 0 });
    if (!/^DiscordBot \(/.test(request.headers["user-agent"] ?? ""))
      return void json(403, { message: "internal network error", code: 40333 });
    const limits = this.#limits(given);
    if (limits.retryMs !== undefined) {
      limited(limits.retryMs / 1_000);
      return;
    }
    // Half of a sign is no text.
    if (/\\ud[89a-f]/.test(JSON.stringify(given.body) ?? ""))
      return void json(400, { message: "The request body contains invalid JSON.", code: 50109 });
    const { method, path, body } = given;
    this.calls.push({ method, path, body, at: this.world.clock.now() });
    try {
      const port = (this.#http.address() as AddressInfo).port;
      const answer =
        path === "/gateway/bot"
          ? {
              url: `ws://127.0.0.1:${port}`,
              shards: 1,
              session_start_limit: { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 },
            }
          : answerTo(given, this);
      if (fault?.kind === "break" || way === "there") request.socket.destroy();
      else json(answer === undefined ? 204 : 200, answer, limits.headers);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      json(error.status, { message: error.message, code: error.code }, limits.headers);
    }
  }

  #limits({ method, path }: Request): { retryMs?: number; headers: Record<string, string> } {
    const [, channel, message] = /^\/channels\/(\d+)\/messages(\/\d+)?$/.exec(path) ?? [];
    if (channel === undefined || method === "GET") return { headers: {} };
    const now = this.world.clock.now();
    const name = `${method} ${channel}`;
    const recent = (this.#buckets.get(name) ?? []).filter((at) => now - at < BUCKET.ms);
    const resetMs = (recent[0] ?? now) + BUCKET.ms - now;
    if (recent.length >= BUCKET.limit) return { retryMs: resetMs, headers: {} };
    recent.push(now);
    this.#buckets.set(name, recent);
    const headers = {
      "x-ratelimit-bucket": message === undefined ? "create" : "edit",
      "x-ratelimit-limit": String(BUCKET.limit),
      "x-ratelimit-remaining": String(BUCKET.limit - recent.length),
      "x-ratelimit-reset-after": String(resetMs / 1_000),
      "x-ratelimit-reset": String((now + resetMs) / 1_000),
    };
    return { headers };
  }
}

async function bodyOf(request: IncomingMessage, bytes: Buffer): Promise<Pick<Request, "body" | "files">> {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) {
    return { body: bytes.length === 0 ? undefined : JSON.parse(String(bytes)), files: [] };
  }
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const files: Request["files"] = [];
  for (const [, value] of form) {
    if (typeof value !== "string") files.push({ name: value.name, content: await value.text() });
  }
  return { body: JSON.parse(String(form.get("payload_json"))), files };
}
