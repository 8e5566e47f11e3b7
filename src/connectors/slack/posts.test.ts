import { describe, expect, it } from "vitest";
import { BOT_USER, markdownIn } from "../../../test/slack/workspace.ts";
import { type Connected, connectSlack, connectTo, heardAs } from "../../../test/slack-connector.ts";

async function asked(connected: Connected, channel = "C1") {
  const { slack } = connected;
  const { ts } = slack.say(channel, `<@${BOT_USER}> hello`);
  const said = await slack.when(() => connected.heard.find(({ place }) => place.thread === ts));
  return said.place;
}

const texts = ({ slack }: Connected, channel = "C1") => slack.said(channel).map(markdownIn);

describe("a message", () => {
  it("is posted once where the answer breaks after it has arrived", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, clock } = connected;
    const place = await asked(connected);
    slack.fault("chat.postMessage", { kind: "break", after: true });
    const posting = connector.post(place, { nonce: "n1", text: "Done." }, signal);
    await clock.sleeping(1_000);
    await clock.pass(1_000);
    const ref = await posting;
    expect(texts(connected)).toEqual(["Done."]);
    await connector.edit(place, ref, { text: "Done!" }, signal);
    expect(texts(connected)).toEqual(["Done!"]);
  });

  it("is posted where it broke before, and where Slack failed", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, clock } = connected;
    const place = await asked(connected);
    slack.fault("chat.postMessage", { kind: "break", after: false }, { kind: "status", status: 503 });
    const posting = connector.post(place, { nonce: "n1", text: "Done." }, signal);
    for (const wait of [1_000, 2_000]) {
      await clock.sleeping(wait);
      await clock.pass(wait);
    }
    await posting;
    expect(texts(connected)).toEqual(["Done."]);
  });

  it("is posted once by two processes, the first of which died before it heard so", async () => {
    const first = await connectSlack();
    const place = await asked(first);
    await first.connector.post(place, { nonce: "n1", text: "Done." }, first.signal);
    first.end();
    await first.ended;
    const second = connectTo(first.slack, first.clock);
    const ref = await second.connector.post(place, { nonce: "n1", text: "Done." }, second.signal);
    await second.connector.post(place, { nonce: "n2", text: "More." }, second.signal);
    expect(texts(first)).toEqual(["Done.", "More."]);
    expect(ref).toContain(first.slack.said()[0]?.ts);
  });

  it("is not taken for ours where somebody else wrote the same nonce", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal } = connected;
    const { ts } = slack.say("C1", `<@${BOT_USER}> hello`);
    slack.workspace.add(slack.workspace.joined("C1"), {
      user: "U2",
      text: "I was here first",
      thread_ts: ts,
      metadata: { event_type: "baton_message", event_payload: { nonce: "n1" } },
    });
    const { place } = await heardAs(connected, "message");
    await connector.post(place, { nonce: "n1", text: "Done." }, signal);
    expect(texts(connected)).toEqual(["Done."]);
  });

  it("is posted also where the bot may not read, and the log says what that costs", async () => {
    const connected = await connectSlack({ scopes: ["chat:write"] });
    const { connector, signal, news } = connected;
    const place = await asked(connected);
    await connector.post(place, { nonce: "n1", text: "Done." }, signal);
    expect(texts(connected)).toEqual(["Done."]);
    expect(news.at(-1)).toMatch(
      /may be said again: Slack answered missing_scope .* the scope channels:history/,
    );
  });

  it("is refused with what to do, and not tried again", async () => {
    const { slack, connector, signal } = await connectSlack();
    const place = { key: "slack:T0001:C9", channel: "C9", isDirect: false };
    const posting = connector.post(place, { nonce: "n1", text: "Done." }, signal);
    await expect(posting).rejects.toMatchObject({
      name: "UndeliveredError",
      mayPass: false,
      remedy: /invite/,
    });
    expect(slack.callsOf("chat.postMessage")).toEqual([]);
  });

  it("takes all that Slack takes, and no more", async () => {
    const connected = await connectSlack();
    const { connector, signal } = connected;
    const place = await asked(connected);
    const { message } = connector.limits;
    await connector.post(place, { nonce: "n1", text: "a".repeat(message) }, signal);
    // Escaped, this would be four times as long.
    await connector.post(place, { nonce: "n2", text: "<".repeat(message) }, signal);
    expect(texts(connected).map((text) => text.length)).toEqual([message, message]);
    const tooLong = connector.post(place, { nonce: "n3", text: "a".repeat(message + 1) }, signal);
    await expect(tooLong).rejects.toMatchObject({ mayPass: false });
  });
});

describe("Slack's limits", () => {
  it("hold back what they are about, and nothing else", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, clock } = connected;
    const [one, other] = [await asked(connected), await asked(connected, "C2")];
    slack.fault("chat.postMessage", { kind: "limit", seconds: 30 });
    const held = connector.post(one, { nonce: "n1", text: "Held." }, signal);
    await clock.sleeping(30_000);
    await connector.post(other, { nonce: "n2", text: "Not held." }, signal);
    const live = connector.live(one, "live1", signal);
    live.show("Streamed.");
    await slack.when(() => texts(connected).includes("Streamed."));
    expect(texts(connected, "C2")).toEqual(["Not held."]);
    await clock.pass(29_999);
    expect(texts(connected)).toEqual(["Streamed."]);
    await clock.pass(1);
    await held;
    expect(texts(connected)).toEqual(["Streamed.", "Held."]);
    await live.close();
  });

  it("let the newest state of an edit through, and drop the others", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, clock } = connected;
    const place = await asked(connected);
    const ref = await connector.post(place, { nonce: "n1", text: "0" }, signal);
    slack.fault("chat.update", { kind: "limit", seconds: 10 });
    const edits = [connector.edit(place, ref, { text: "1" }, signal)];
    await clock.sleeping(10_000);
    for (let n = 2; n <= 30; n++) edits.push(connector.edit(place, ref, { text: `${n}` }, signal));
    await clock.pass(10_000);
    await Promise.all(edits);
    expect(slack.said()[0]?.states).toEqual(["0", "30"]);
  });

  it("are kept to without being told: one post a second in a channel, after the first few", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, clock } = connected;
    const place = await asked(connected);
    const posts = [1, 2, 3, 4, 5].map((n) => connector.post(place, { nonce: `n${n}`, text: `${n}` }, signal));
    await slack.when(() => slack.said().length === 3);
    for (const count of [4, 5]) {
      await clock.sleeping(1_000);
      await clock.pass(1_000);
      await slack.when(() => slack.said().length === count);
    }
    await Promise.all(posts);
    expect(texts(connected)).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("let fifty messages at once have their reactions then, and the next one when Slack says so", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, clock, heard } = connected;
    const said = Array.from({ length: 51 }, (_, index) => slack.say("C1", `<@${BOT_USER}> ${index}`));
    await slack.when(() => heard.length === 51);
    const seen = heard.map((event) =>
      event.kind === "message"
        ? connector.acknowledge(event, { emoji: "👀", types: false }, signal)
        : undefined,
    );
    await slack.when(() => said.filter(({ reactions }) => reactions.length > 0).length === 50);
    await clock.sleeping(1_200);
    await clock.pass(1_200);
    await clock.sleeping(59_000);
    await clock.pass(59_000);
    await Promise.all(seen);
    expect(said.every(({ reactions }) => reactions.length > 0)).toBe(true);
    expect(slack.limited).toBe(1);
  });
});

describe("a thread that began while it listened", () => {
  it("is not read for what stands in it; one that was there before is, once", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal, clock } = connected;
    const before = await asked(connected);
    await clock.pass(5_000);
    const after = await asked(connected);
    const root = slack.workspace.message("C1", before.thread);
    slack.say("C1", `<@${BOT_USER}> again`, { thread: root?.ts ?? "" });
    const reads = () => slack.callsOf("conversations.replies").map(({ ts }) => ts);
    expect(await connector.history(after, 10, signal)).toEqual([]);
    await connector.post(after, { nonce: "n1", text: "Done." }, signal);
    expect(reads()).toEqual([]);
    // Later there is something to read.
    expect(await connector.history(after, 10, signal)).toHaveLength(2);
    await connector.post(before, { nonce: "n2", text: "Done." }, signal);
    await connector.post(before, { nonce: "n3", text: "Done." }, signal);
    expect(reads()).toEqual([after.thread, before.thread]);
  });
});
