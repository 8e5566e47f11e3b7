import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { needs } from "./needs.ts";
import { BOT_USER, markdownIn } from "./slack/workspace.ts";
import { APP_TOKEN, BOT_TOKEN, startSlackService } from "./slack-service.ts";

type Args = Record<string, unknown>;
type Call = (given: Args) => Promise<{ ok: boolean; ts: string; messages?: { text: string }[] }>;

/** As much of Slack's own SDK as this needs. */
interface Client {
  auth: { test: Call };
  chat: Record<"postMessage" | "update", Call>;
  conversations: { replies: Call };
  reactions: { add: Call };
  filesUploadV2: Call;
  chatStream(given: Args): { append: (text: Args) => Promise<unknown>; stop: () => Promise<unknown> };
}

interface Context {
  event: Record<string, string> & { files?: { url_private_download: string }[] };
  body: { event_id: string; channel_id: string };
  command: { text: string };
  action: { value: string };
  payload: { streaming_message_ts: string[] };
  client: Client;
  ack: (answer?: string) => Promise<void>;
}

interface App {
  init(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  event(name: string, listener: (context: Context) => Promise<void>): void;
  command(name: string, listener: (context: Context) => Promise<void>): void;
  action(name: RegExp, listener: (context: Context) => Promise<void>): void;
  client: Client;
}

interface Bolt {
  App: new (options: object) => App;
  SocketModeReceiver: new (options: object) => object;
}

const programs = createRequire(join(import.meta.dirname, "programs", "package.json"));
const quiet = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => "error",
  setName() {},
};

/** Slack's own framework, on the Slack of the tests: what it takes for the real one, a client of ours may too. */
async function startBolt() {
  const slack = await startSlackService();
  const { App, SocketModeReceiver } = programs("@slack/bolt") as Bolt;
  const clientOptions = { slackApiUrl: `${slack.apiUrl}/`, retryConfig: { retries: 0 }, timeout: 15_000 };
  const receiver = new SocketModeReceiver({
    appToken: APP_TOKEN,
    // For so long it stays away whenever Slack asks it to connect anew.
    clientPingTimeout: 200,
    installerOptions: { clientOptions: { ...clientOptions } },
    logger: quiet,
  });
  const app = new App({
    token: BOT_TOKEN,
    receiver,
    clientOptions,
    deferInitialization: true,
    logger: quiet,
  });
  await app.init();
  onTestFinished(() => app.stop());
  return { slack, app };
}

it("is a Slack to Slack's own framework: threads, edits, commands, buttons, files, streams, a new connection", async () => {
  needs("bolt");
  const { slack, app } = await startBolt();
  const seen: string[] = [];
  const failures: unknown[] = [];
  const note = (what: string) => {
    seen.push(what);
    slack.changed();
  };
  /** A failing listener would only be logged. */
  const told = (listener: (context: Context) => Promise<void>) => async (context: Context) => {
    try {
      await listener(context);
    } catch (error) {
      failures.push(error);
      slack.changed();
    }
  };
  app.event(
    "app_mention",
    told(async ({ event, client }) => {
      const at = { channel: event.channel, thread_ts: event.thread_ts ?? event.ts };
      await client.reactions.add({ channel: event.channel, timestamp: event.ts, name: "eyes" });
      const { ts } = await client.chat.postMessage({
        ...at,
        text: "…",
        blocks: [
          { type: "markdown", text: "May I?" },
          {
            type: "actions",
            elements: [
              { type: "button", action_id: "yes", value: "1", text: { type: "plain_text", text: "Yes" } },
            ],
          },
        ],
        metadata: { event_type: "asked", event_payload: { nonce: "n1" } },
      });
      await client.chat.update({ channel: event.channel, ts, markdown_text: "**Done**" });
      const stream = client.chatStream({
        ...at,
        recipient_team_id: "T0001",
        recipient_user_id: event.user,
        buffer_size: 1,
      });
      await stream.append({ markdown_text: "one " });
      await stream.append({ markdown_text: "two" });
      await stream.stop();
      await client.filesUploadV2({
        channel_id: at.channel,
        thread_ts: at.thread_ts,
        filename: "a.md",
        content: "# Ä",
      });
      const { messages = [] } = await client.conversations.replies({ channel: at.channel, ts: at.thread_ts });
      note(`thread: ${messages.map(({ text }) => text).join(" | ")}`);
    }),
  );
  app.event(
    "message",
    told(async ({ event }) => {
      if (event.bot_id || event.subtype === "message_changed") return;
      const [file] = event.files ?? [];
      const headers = { authorization: `Bearer ${BOT_TOKEN}` };
      const content = file && (await (await fetch(file.url_private_download, { headers })).text());
      note(`message: ${event.text}${content === undefined ? "" : ` with ${content}`}`);
    }),
  );
  app.event(
    "agent_session_stopped",
    told(async ({ payload }) => note(`stopped: ${payload.streaming_message_ts.length}`)),
  );
  app.command(
    "/baton",
    told(async ({ command, ack }) => {
      await ack(`You said ${command.text}.`);
      note("command");
    }),
  );
  app.action(
    /yes/,
    told(async ({ action, ack }) => {
      await ack();
      note(`pressed ${action.value}`);
    }),
  );
  await app.start();

  const asked = slack.say("C1", `<@${BOT_USER}> hello`);
  await slack.when(() => seen.length === 2 || failures.length > 0);
  expect(failures).toEqual([]);
  expect(seen.toSorted()).toEqual([
    `message: <@${BOT_USER}> hello`,
    `thread: <@${BOT_USER}> hello | **Done** | one two | `,
  ]);
  expect(asked.reactions).toEqual(["eyes"]);
  const [answer, stream, file] = slack.said();
  expect(answer).toMatchObject({
    thread_ts: asked.ts,
    states: ["May I?", "**Done**"],
    metadata: { event_type: "asked" },
  });
  expect(stream && markdownIn(stream)).toBe("one two");
  expect(stream?.stream?.endedBy).toBe("bot");
  expect(file?.files?.[0]?.content.toString()).toBe("# Ä");

  const command = slack.command("/baton", "status");
  const question = {
    ...asked,
    blocks: [{ type: "actions", elements: [{ action_id: "yes", value: "7", text: { text: "Yes" } }] }],
  };
  slack.press(question, "Yes");
  slack.say("D1", "look", { files: [{ name: "a.txt", type: "text/plain", content: "inside" }] });
  slack.stop("C1", asked.ts);
  await slack.when(() => seen.length === 6 || failures.length > 0);
  expect(failures).toEqual([]);
  expect(seen.slice(2).toSorted()).toEqual([
    "command",
    "message: look with inside",
    "pressed 7",
    "stopped: 0",
  ]);
  await slack.when(() => command.isAcked);
  expect(command.answer).toEqual({ text: "You said status." });

  slack.sockets.warn();
  await slack.when(() => slack.sockets.greeted === 2);
  slack.say("D1", "still there?");
  await slack.when(() => seen.includes("message: still there?"));
});

it("refuses Slack's own client as Slack does", async () => {
  needs("bolt");
  const { slack, app } = await startBolt();
  const { chat } = app.client;
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "ok",
      (error: { data?: { error: string } }) => error.data?.error,
    );
  const theirs = slack.say("C1", "mine");
  const channel = "C1";
  expect(await codeOf(chat.postMessage({ channel: "C404", text: "x" }))).toBe("channel_not_found");
  expect(await codeOf(chat.postMessage({ channel: "C9", text: "x" }))).toBe("not_in_channel");
  expect(await codeOf(chat.postMessage({ channel, text: "x", markdown_text: "x" }))).toBe(
    "markdown_text_conflict",
  );
  expect(await codeOf(chat.postMessage({ channel, markdown_text: "x".repeat(12_001) }))).toBe("msg_too_long");
  const blocks = [1, 2].map(() => ({ type: "markdown", text: "x".repeat(6_001) }));
  expect(await codeOf(chat.postMessage({ channel, blocks, text: "x" }))).toBe("msg_blocks_too_long");
  expect(await codeOf(chat.update({ channel, ts: theirs.ts, text: "x" }))).toBe("cant_update_message");
  expect(await codeOf(chat.update({ channel, ts: "1.1", text: "x" }))).toBe("message_not_found");
  const stream = app.client.chatStream({ channel, thread_ts: theirs.ts, buffer_size: 1 });
  expect(await codeOf(stream.append({ markdown_text: "x" }))).toBe("missing_recipient_user_id");
  slack.botToken = "xoxb-another";
  expect(await codeOf(app.client.auth.test({}))).toBe("invalid_auth");
});
