import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { CLOCK, type Clock } from "../src/connectors/clock.ts";
import { type Arguments, METHODS, shownFile } from "./slack/methods.ts";
import { Sockets } from "./slack/sockets.ts";
import { Tiers } from "./slack/tiers.ts";
import {
  BOT_USER,
  Refused,
  type StoredFile,
  type StoredMessage,
  TEAM,
  Workspace,
} from "./slack/workspace.ts";

export const BOT_TOKEN = "xoxb-1111-2222-not-a-real-token";
export const APP_TOKEN = "xapp-1-A0001-3333-not-a-real-token";

const SCOPES = [
  "app_mentions:read",
  "assistant:write",
  "channels:history",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "im:history",
  "metadata.message:read",
  "reactions:write",
  "users:read",
];

interface Call {
  method: string;
  given: Arguments;
  at: number;
}

type Fault =
  | { kind: "limit"; seconds: number }
  | { kind: "status"; status: number }
  /** The connection breaks before Slack has done it, or after. */
  | { kind: "break"; after: boolean };

interface Held {
  method: string;
  matches: (given: string) => boolean;
  after: boolean;
  reached: () => void;
}

interface Said {
  user?: string;
  thread?: string;
  files?: { name: string; type: string; content: string }[];
  /** Fields of the event that a test says itself. */
  more?: object;
}

/** `isLimited`: it refuses what comes more often than each method's tier allows. */
interface ServiceOptions {
  clock?: Clock;
  scopes?: string[];
  isLimited?: boolean;
}

/** Slack on 127.0.0.1: its Web API and Socket Mode, as far as a chat needs them, with what they enforce. */
export async function startSlackService(options: ServiceOptions = {}): Promise<SlackService> {
  const service = new SlackService(options);
  await service.listen();
  onTestFinished(() => service.close());
  return service;
}

export class SlackService {
  readonly workspace: Workspace;
  readonly calls: Call[] = [];
  /** What commands were answered with, to those who gave them. */
  readonly answers: { text?: string; response_type?: string; blocks?: object[] }[] = [];
  readonly #scopes: string[];
  readonly #tiers: Tiers | undefined;
  /** How many calls came too early. */
  limited = 0;
  readonly #faults = new Map<string, Fault[]>();
  readonly #refused = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  #held: Held | undefined;
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  readonly sockets: Sockets;
  #events = 0;
  /** Where it has files sent to, if not to itself. */
  uploadsTo: string | undefined;
  botToken = BOT_TOKEN;
  appToken = APP_TOKEN;

  constructor({ clock = CLOCK, scopes = SCOPES, isLimited = true }: ServiceOptions = {}) {
    this.workspace = new Workspace(clock);
    this.#scopes = scopes;
    this.#tiers = isLimited ? new Tiers(clock) : undefined;
    this.sockets = new Sockets(this.#http, clock, () => this.changed());
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
  }

  async close(): Promise<void> {
    await this.sockets.close();
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

  /** The next calls of a method go wrong in this way, one each. */
  fault(method: string, ...faults: Fault[]): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...faults]);
  }

  /** The next such call is never answered, done or not. Resolves once it has come. */
  hold(method: string, after: boolean, matches: (given: string) => boolean = () => true): Promise<void> {
    const { promise, resolve: reached } = Promise.withResolvers<void>();
    this.#held = { method, matches, after, reached };
    return promise;
  }

  #isHeld(method: string, given: Arguments): Held | undefined {
    const held = this.#held;
    if (held?.method !== method || !held.matches(JSON.stringify(given))) return undefined;
    this.#held = undefined;
    return held;
  }

  /** From now on, a method is refused. */
  refuse(method: string, code: string): void {
    this.#refused.set(method, code);
  }

  callsOf(method: string): Arguments[] {
    return this.calls.filter((call) => call.method === method).map(({ given }) => given);
  }

  /** What the bot has said in a channel. */
  said(channel = "C1"): StoredMessage[] {
    return (this.workspace.channels.get(channel)?.messages ?? []).filter(({ user }) => user === BOT_USER);
  }

  /** A person writes. Where the bot is mentioned, it hears so twice. */
  say(
    channel: string,
    text: string,
    { user = "U1", thread, files = [], more: fields = {} }: Said = {},
  ): StoredMessage {
    const room = this.workspace.channels.get(channel);
    if (!room) throw new Error(`there is no channel ${channel}`);
    const stored = files.map((file) => this.#stored(file));
    const message = this.workspace.add(room, {
      user,
      text,
      ...(thread !== undefined && { thread_ts: thread }),
      ...(stored.length > 0 && { files: stored, subtype: "file_share" }),
    });
    const { ts, thread_ts, subtype } = message;
    const shown = stored.map((file) => shownFile(file, (each) => this.fileUrl(each)));
    const event = { user, text, ts, channel, event_ts: ts, ...(thread_ts && { thread_ts }), ...fields };
    const withFiles = shown.length > 0 ? { files: shown } : {};
    if (text.includes(`<@${BOT_USER}>`) && room.type !== "im")
      this.tell({ type: "app_mention", ...withFiles, ...event });
    const more = { channel_type: room.type, ...withFiles, ...(subtype && { subtype }) };
    this.tell({ type: "message", ...more, ...event });
    return message;
  }

  /** An event of the Events API. */
  tell(event: object, id = this.#next("Ev")) {
    const payload = {
      type: "event_callback",
      token: "x",
      team_id: TEAM,
      api_app_id: "A0001",
      event,
      event_id: id,
    };
    return this.sockets.deliver("events_api", {
      ...payload,
      event_time: Math.floor(this.workspace.clock.now() / 1000),
    });
  }

  press(message: StoredMessage, label: string, user = "U1", channel = "C1") {
    const buttons = (message.blocks ?? []).flatMap(({ elements }) => elements ?? []);
    const button = buttons.find(({ text }) => text.text === label);
    if (!button) throw new Error(`no button says ${label}`);
    const { ts, thread_ts } = message;
    return this.sockets.deliver("interactive", {
      type: "block_actions",
      user: { id: user, username: "ada", team_id: TEAM },
      team: { id: TEAM },
      channel: { id: channel, name: "general" },
      container: { type: "message", message_ts: ts, channel_id: channel, ...(thread_ts && { thread_ts }) },
      message: { ts, ...(thread_ts && { thread_ts }) },
      actions: [
        {
          type: "button",
          action_id: button.action_id,
          value: button.value,
          action_ts: this.workspace.nextTs(),
        },
      ],
      response_url: `${this.url}/actions/1`,
      trigger_id: "1.2.3",
    });
  }

  command(command: string, text = "", channel = "C1", user = "U1") {
    return this.sockets.deliver("slash_commands", {
      command,
      text,
      user_id: user,
      user_name: "ada",
      team_id: TEAM,
      channel_id: channel,
      channel_name: "general",
      response_url: `${this.url}/commands/1`,
      trigger_id: this.#next("1."),
    });
  }

  /** Somebody presses Slack's own stop. */
  stop(channel: string, thread: string, user = "U1") {
    const streams = this.said(channel).filter((message) => this.workspace.isStreaming(message));
    for (const { stream } of streams) if (stream) stream.endedBy = "user";
    const streaming_message_ts = streams.map(({ ts }) => ts);
    const event = { type: "agent_session_stopped", channel, thread_ts: thread, user, streaming_message_ts };
    return this.tell({ ...event, event_ts: this.workspace.nextTs() });
  }

  #next(prefix: string): string {
    this.#events += 1;
    return `${prefix}${this.#events}`;
  }

  fileUrl({ id, name }: StoredFile): string {
    return `${this.url}/files-pri/${id}/download/${encodeURIComponent(name)}`;
  }

  #stored({ name, type, content }: { name: string; type: string; content: string }): StoredFile {
    const bytes = Buffer.from(content);
    const id = `F${this.workspace.files.size + 1}`;
    const file = { id, name, mimetype: type, size: bytes.length, title: name, content: bytes, shares: {} };
    this.workspace.files.set(id, file);
    return file;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const [, area = "", rest = ""] = /^\/([a-z-]+)\/(.*)$/.exec(pathname) ?? [];
    if (area === "api") this.#api(rest, request, body, response);
    else if (area === "upload") this.#upload(rest, request, body, response);
    else if (area === "files-pri") this.#download(rest.split("/")[0] ?? "", request, response);
    else if (area === "commands") {
      this.answers.push(JSON.parse(String(body)));
      response.writeHead(200).end("ok");
    } else response.writeHead(404).end();
    this.changed();
  }

  #api(method: string, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const given = argumentsOf(request, body);
    const fault = this.#faults.get(method)?.shift();
    const json = (status: number, answer: object, headers = {}) =>
      response
        .writeHead(status, {
          "content-type": "application/json; charset=utf-8",
          date: new Date(this.workspace.clock.now()).toUTCString(),
          ...headers,
        })
        .end(JSON.stringify(answer));
    if (fault?.kind === "break" && !fault.after) {
      request.socket.destroy();
      return;
    }
    const seconds = fault?.kind === "limit" ? fault.seconds : this.#tiers?.refused(method, given.channel);
    if (seconds !== undefined) {
      this.limited += 1;
      json(429, { ok: false, error: "ratelimited" }, { "retry-after": String(seconds) });
      return;
    }
    if (fault?.kind === "status") {
      response.writeHead(fault.status).end("upstream connect error");
      return;
    }
    const held = this.#isHeld(method, given);
    if (held && !held.after) {
      held.reached();
      return;
    }
    this.calls.push({ method, given, at: this.workspace.clock.now() });
    try {
      const answer = this.#answer(method, request, given);
      if (held) held.reached();
      else if (fault?.kind === "break") request.socket.destroy();
      else json(200, { ok: true, ...answer }, { "x-oauth-scopes": this.#scopes.join(",") });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      json(200, { ok: false, error: error.code, ...error.more });
    }
  }

  #answer(method: string, request: IncomingMessage, given: Arguments): object {
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined) throw new Refused("not_authed");
    if (method === "apps.connections.open") {
      if (!token.startsWith("xapp-")) throw new Refused("not_allowed_token_type");
      if (token !== this.appToken) throw new Refused("invalid_auth");
      const port = (this.#http.address() as AddressInfo).port;
      return { url: `ws://127.0.0.1:${port}/link/?ticket=${this.sockets.ticket()}&app_id=A0001` };
    }
    if (token.startsWith("xapp-")) throw new Refused("not_allowed_token_type");
    if (token !== this.botToken) throw new Refused("invalid_auth");
    const known = METHODS[method];
    if (!known) throw new Refused("unknown_method");
    if (known.scope !== undefined && !this.#scopes.includes(known.scope)) {
      throw new Refused("missing_scope", { needed: known.scope, provided: this.#scopes.join(",") });
    }
    const refusal = this.#refused.get(method);
    if (refusal !== undefined) throw new Refused(refusal);
    return known.run(given, this.workspace, {
      echo: (event) => this.sockets.size > 0 && this.tell(event),
      uploadUrl: (id) => `${this.uploadsTo ?? this.url}/upload/${id}`,
      fileUrl: (file) => this.fileUrl(file),
    });
  }

  #upload(id: string, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const file = this.workspace.files.get(id);
    const content = contentOf(request, body);
    if (!file || content.length !== file.size) {
      response.writeHead(400).end("length does not match");
      return;
    }
    file.content = content;
    response.writeHead(200).end(`OK - ${content.length}`);
  }

  /** Whoever does not show the bot's token is sent to sign in. */
  #download(id: string, request: IncomingMessage, response: ServerResponse): void {
    const file = this.workspace.files.get(id);
    if (request.headers.authorization !== `Bearer ${this.botToken}` || !this.#scopes.includes("files:read")) {
      response.writeHead(302, { location: `${this.url}/signin` }).end();
    } else if (!file) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": file.mimetype }).end(file.content);
  }
}

const AS_JSON = new Set(["blocks", "metadata", "files", "chunks"]);

function argumentsOf(request: IncomingMessage, body: Buffer): Arguments {
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/json")) return JSON.parse(String(body));
  const given: Arguments = {};
  for (const [name, value] of new URLSearchParams(String(body))) {
    given[name] = AS_JSON.has(name) ? JSON.parse(value) : value;
  }
  return given;
}

/** The bytes of a file, alone or as the only part of a form. */
function contentOf(request: IncomingMessage, body: Buffer): Buffer {
  const boundary = /boundary=([^;]+)/.exec(request.headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) return body;
  const begin = body.indexOf("\r\n\r\n") + 4;
  return body.subarray(begin, body.indexOf(`\r\n--${boundary}`, begin));
}
