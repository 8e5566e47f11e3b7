import { describe, expect, it } from "vitest";
import { BOT_USER, markdownIn } from "../../../test/slack/workspace.ts";
import { type Connected, connectSlack, heardAs } from "../../../test/slack-connector.ts";

const MENTION = `<@${BOT_USER}>`;

/** Somebody has asked, and this is where. */
async function asked(connected: Connected, text = `${MENTION} hello`) {
  connected.slack.say("C1", text);
  const { place } = await heardAs(connected, "message");
  return place;
}

describe("what people say", () => {
  it("is heard once where the bot is mentioned, in the thread that it begins", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, heard } = connected;
    const said = slack.say("C1", `${MENTION} fix the *build*, <@U2> &amp; I wait`);
    const message = await heardAs(connected, "message");
    expect(message).toMatchObject({
      place: {
        key: `slack:T0001:C1:${said.ts}`,
        channel: "C1",
        thread: said.ts,
        isDirect: false,
        url: `https://acme.slack.com/archives/C1/p${said.ts.replace(".", "")}`,
      },
      by: { id: "U1", name: "Ada Byron" },
      text: "fix the *build*, @Grace Hopper & I wait",
      isMention: true,
      files: [],
    });
    await slack.when(() => slack.sockets.deliveries.every(({ isAcked }) => isAcked));
    expect(slack.sockets.deliveries).toHaveLength(2);
    expect(heard).toHaveLength(1);
    await connector.acknowledge(message, { emoji: "👀", types: true }, signal);
    await connector.acknowledge(message, { emoji: ":eyes:", types: true }, signal);
    expect(said.reactions).toEqual(["eyes"]);
  });

  it("continues a thread, and a direct message is one too", async () => {
    const connected = await connectSlack();
    const { slack } = connected;
    const root = slack.say("C1", "the build is red");
    slack.say("C1", `${MENTION} why?`, { user: "U2", thread: root.ts });
    await heardAs(connected, "message", 1);
    slack.say("D1", "hello");
    const direct = await heardAs(connected, "message", 2);
    expect(connected.heard).toMatchObject([
      { text: "the build is red", isMention: false, place: { thread: root.ts } },
      { text: "why?", isMention: true, place: { thread: root.ts }, by: { name: "Grace Hopper" } },
      { text: "hello", isMention: false, place: { channel: "D1", isDirect: true } },
    ]);
    expect(direct.place.thread).toBeDefined();
  });

  it("is answered where a button is pressed, with who pressed it", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal } = connected;
    const place = await asked(connected);
    const buttons = [
      { id: "ask1:allow", label: "Allow", style: "primary" as const },
      { id: "ask1:deny", label: "Deny <!here>" },
    ];
    const ref = await connector.post(place, { nonce: "ask1", text: "May I push?", buttons }, signal);
    const [question] = slack.said();
    if (!question) throw new Error("nothing was said");
    slack.press(question, "Allow", "U2");
    slack.press(question, "Allow", "U2");
    const pressed = await heardAs(connected, "pressed", 1);
    expect(pressed).toMatchObject({
      place: { key: place.key },
      by: { id: "U2", name: "Grace Hopper" },
      button: "ask1:allow",
    });
    expect(connected.heard.filter(({ kind }) => kind === "pressed").map(({ id }) => id)).toHaveLength(2);
    await connector.edit(place, ref, { text: "Allowed by Grace Hopper." }, signal);
    expect(question.blocks?.map(({ type }) => type)).toEqual(["markdown"]);
    expect(question.metadata).toMatchObject({ event_payload: { nonce: "ask1" } });
    expect(slack.workspace.pinged).toEqual([]);
  });

  it("is a command behind a slash, answered to the one who gave it", async () => {
    const connected = await connectSlack();
    const { slack } = connected;
    slack.command("/baton", "handoff the tests first");
    slack.command("/baton");
    slack.command("/status", "all");
    const third = await heardAs(connected, "command", 2);
    expect(connected.heard).toMatchObject([
      { name: "handoff", text: "the tests first", place: { key: "slack:T0001:C1", channel: "C1" } },
      { name: "help", text: "" },
      { name: "status", text: "all", by: { name: "Ada Byron" } },
    ]);
    await third.answer("**Nothing** runs, <!channel>.");
    expect(slack.answers).toMatchObject([
      {
        response_type: "ephemeral",
        blocks: [{ type: "markdown", text: "**Nothing** runs, &lt;!channel>." }],
      },
    ]);
  });

  it("is a stop where Slack's own button is pressed", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, clock } = connected;
    const place = await asked(connected);
    const live = connector.live(place, "live1", signal);
    live.show("One ");
    await slack.when(() => slack.said().length === 1);
    slack.stop("C1", place.thread ?? "", "U2");
    expect(await heardAs(connected, "stop")).toMatchObject({ place: { key: place.key }, by: { id: "U2" } });
    live.show("One two");
    await clock.sleeping(1_000);
    await clock.pass(1_000);
    expect(await live.close()).toBe(`C1:${slack.said()[0]?.ts}:live1`);
    expect(slack.said().map(markdownIn)).toEqual(["One "]);
    expect(slack.callsOf("agents.sessions.setStatus").at(-1)).toMatchObject({ status: "active" });
  });
});

describe("what is no person's word", () => {
  it("is acknowledged and dropped", async () => {
    const connected = await connectSlack();
    const { slack } = connected;
    const base = {
      type: "message",
      channel: "C1",
      channel_type: "channel",
      user: "U1",
      text: `${MENTION} run this`,
      ts: "1.1",
    };
    const hostile: object[] = [
      { ...base, user: BOT_USER },
      { ...base, bot_id: "B0BOT" },
      { ...base, bot_id: "BOTHER", user: "UOTHER" },
      { ...base, subtype: "bot_message" },
      { ...base, subtype: "message_changed", message: base },
      { ...base, subtype: "message_deleted", previous_message: base },
      { ...base, subtype: "channel_join" },
      { ...base, hidden: true },
      { ...base, user: "USLACKBOT" },
      { ...base, user: undefined },
      { ...base, ts: "yesterday" },
      { ...base, ts: { $gt: "" } },
      { ...base, channel: ["C1"] },
      { type: "reaction_added", user: "U1" },
      { type: "agent_session_stopped", channel: "C1" },
      {},
    ];
    for (const event of hostile) slack.tell(event);
    for (const payload of [null, [], "x", { type: "block_actions" }, { command: 7 }]) {
      slack.sockets.deliver("interactive", payload as object);
      slack.sockets.deliver("slash_commands", payload as object);
      slack.sockets.deliver("events_api", payload as object);
      slack.sockets.deliver("__proto__", payload as object);
    }
    slack.say("C1", "a person");
    await heardAs(connected, "message");
    await slack.when(() => slack.sockets.deliveries.every(({ isAcked }) => isAcked));
    expect(connected.heard).toMatchObject([{ text: "a person" }]);
  });

  it("is what the bot itself said and wrote anew", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal } = connected;
    const place = await asked(connected);
    const ref = await connector.post(place, { nonce: "n1", text: `${MENTION} again` }, signal);
    await connector.edit(place, ref, { text: `${MENTION} and again` }, signal);
    await slack.when(() => slack.sockets.deliveries.length === 4);
    await slack.when(() => slack.sockets.deliveries.every(({ isAcked }) => isAcked));
    expect(connected.heard).toHaveLength(1);
  });
});

describe("a thread's history", () => {
  it("is told oldest first, with who said what, and a long one by its end", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal } = connected;
    const place = await asked(connected, `${MENTION} explain <https://acme.test|this>`);
    await connector.post(place, { nonce: "n1", text: "It is `a < b`." }, signal);
    slack.say("C1", "thanks", { user: "U2", thread: place.thread ?? "" });
    const history = await connector.history(place, 10, signal);
    expect(history).toEqual([
      { by: { id: "U1", name: "Ada Byron" }, isOurs: false, text: "explain [this](https://acme.test)" },
      { by: { id: BOT_USER, name: BOT_USER }, isOurs: true, text: "It is `a < b`." },
      { by: { id: "U2", name: "Grace Hopper" }, isOurs: false, text: "thanks" },
    ]);
    for (let n = 0; n < 450; n++)
      slack.workspace.add(slack.workspace.joined("C1"), {
        user: "U2",
        text: `${n}`,
        thread_ts: place.thread ?? "",
      });
    const last = await connector.history(place, 2, signal);
    expect(last.map(({ text }) => text)).toEqual(["448", "449"]);
  });
});

describe("baton doctor", () => {
  it("finds nothing where all is well", async () => {
    const { connector, signal } = await connectSlack({ channels: ["C1"] });
    expect(await connector.check(signal)).toEqual([]);
  });

  it("says which token, which scopes and which channels, and what to do", async () => {
    const few = ["chat:write", "channels:history", "im:history", "app_mentions:read"];
    const { connector, signal } = await connectSlack({ scopes: few, channels: ["C1", "C9", "C404"] });
    const found = await connector.check(signal);
    expect(found.map(({ problem }) => problem)).toEqual([
      expect.stringContaining("files:read (it cannot read what people attach)"),
      "The bot cannot read the channel C9 (not_in_channel).",
      "The bot cannot read the channel C404 (channel_not_found).",
    ]);
    expect(found.map(({ remedy }) => remedy).join("\n")).toContain("/invite");
    const wrong = await connectSlack({ appToken: "xapp-1", botToken: "xoxb-1" });
    expect(await wrong.connector.check(wrong.signal)).toMatchObject([
      { problem: "Slack does not accept the bot token (invalid_auth)." },
      { problem: "Slack does not accept the app token (invalid_auth)." },
    ]);
  });
});
