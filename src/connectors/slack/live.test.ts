import { describe, expect, it } from "vitest";
import { BOT, BOT_USER, markdownIn } from "../../../test/slack/workspace.ts";
import { type Connected, connectSlack, heardAs } from "../../../test/slack-connector.ts";
import type { LiveText } from "../connector.ts";

const MINUTE = 60_000;

/** A person has asked, and the answer begins. */
async function answering(connected: Connected) {
  const { slack, connector, signal } = connected;
  slack.say("C1", `<@${BOT_USER}> explain`);
  const { place } = await heardAs(connected, "message");
  return { place, live: connector.live(place, "live1", signal) };
}

const texts = ({ slack }: Connected) => slack.said().map(markdownIn);

/** Shows it, and lets the time between two writes pass. */
async function grown(connected: Connected, live: LiveText, text: string): Promise<void> {
  live.show(text);
  const end = text.slice(-10).replaceAll("<", "&lt;");
  await connected.slack.when(() => texts(connected).some((shown) => shown.endsWith(end)));
}

describe("a text as it comes", () => {
  it("is streamed into the thread, for the one who asked", async () => {
    const connected = await connectSlack();
    const { slack, clock } = connected;
    const { live } = await answering(connected);
    await grown(connected, live, "It is <b>");
    await clock.sleeping(1_000);
    live.show("It is <b>so");
    live.show("It is <b>so: <!here>");
    await clock.pass(1_000);
    const ref = await live.close();
    expect(texts(connected)).toEqual(["It is &lt;b>so: &lt;!here>"]);
    expect(slack.said()[0]).toMatchObject({ ts: ref?.split(":")[1], stream: { endedBy: "bot" } });
    expect(slack.workspace.pinged).toEqual([]);
    expect(slack.callsOf("chat.startStream")).toMatchObject([
      { channel: "C1", recipient_team_id: "T0001", recipient_user_id: "U1" },
    ]);
    // What was replaced before it could be sent was not sent.
    expect(slack.callsOf("chat.appendStream").map((given) => given.markdown_text)).toEqual([
      "so: &lt;!here>",
    ]);
  });

  it("outlives Slack's five minutes as several messages, with its code kept in blocks", async () => {
    const connected = await connectSlack();
    const { slack, clock } = connected;
    const { live } = await answering(connected);
    let text = "Look:\n```ts\n";
    for (let minute = 0; minute < 7; minute++) {
      text += `const a${minute} = ${minute};\n`;
      await grown(connected, live, text);
      await clock.sleeping(1_000);
      await clock.pass(MINUTE);
    }
    text += "```\nThat is all of it.";
    live.show(text);
    await live.close();
    const said = slack.said();
    expect(said.map(({ stream }) => stream?.endedBy)).toEqual(["bot", "bot"]);
    expect(slack.workspace.clock.now() - (said[0]?.stream?.began ?? 0)).toBeGreaterThan(5 * MINUTE);
    expect(texts(connected)).toEqual([
      `Look:\n\`\`\`ts\n${[0, 1, 2, 3].map((n) => `const a${n} = ${n};\n`).join("")}\n\`\`\``,
      `\`\`\`ts\n${[4, 5, 6].map((n) => `const a${n} = ${n};\n`).join("")}\`\`\`\nThat is all of it.`,
    ]);
  });

  it("is cut between signs where it is sent in parts", async () => {
    const connected = await connectSlack();
    const { live } = await answering(connected);
    const text = `${"x".repeat(2_799)}🚀 and more`;
    live.show(text);
    await connected.clock.sleeping(1_000);
    await connected.clock.pass(1_000);
    await live.close();
    expect(texts(connected)).toEqual([text]);
  });

  it("is ended in time where nothing more comes for a while", async () => {
    const connected = await connectSlack();
    const { slack, clock } = connected;
    const { live } = await answering(connected);
    await grown(connected, live, "Let me look. ");
    await clock.sleeping(1_000);
    await clock.pass(1_000);
    await clock.sleeping(4 * MINUTE - 1_000);
    await clock.pass(4 * MINUTE);
    await slack.when(() => slack.said()[0]?.stream?.endedBy === "bot");
    await clock.pass(10 * MINUTE);
    await grown(connected, live, "Let me look. It was the clock.");
    await live.close();
    expect(texts(connected)).toEqual(["Let me look. ", "It was the clock."]);
  });
});

describe("a text that Slack does not stream", () => {
  it("is edited where more begin at once than Slack streams", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal } = connected;
    const said = Array.from({ length: 12 }, (_, index) => slack.say("C1", `<@${BOT_USER}> ${index}`));
    await slack.when(() => connected.heard.length === 12);
    const lives = connected.heard.map(({ place }) => {
      const live = connector.live(place, `live ${place.thread}`, signal);
      live.show(`Answer ${place.thread}`);
      return live;
    });
    await slack.when(() => slack.said().length === 12);
    await Promise.all(lives.map((live) => live.close()));
    expect(
      slack
        .said()
        .map(({ stream }) => stream !== undefined)
        .filter(Boolean),
    ).toHaveLength(10);
    const answers = slack.said().map((message) => [message.thread_ts, markdownIn(message)]);
    expect(answers.toSorted()).toEqual(said.map(({ ts }) => [ts, `Answer ${ts}`]));
  });

  it("is edited where the service takes no streams", async () => {
    const connected = await connectSlack();
    const { slack, clock } = connected;
    slack.refuse("chat.startStream", "channel_type_not_supported");
    const { live } = await answering(connected);
    await grown(connected, live, "It is");
    await clock.sleeping(1_500);
    live.show("It is so");
    const ref = await live.close();
    expect(slack.said()).toMatchObject([
      { states: ["It is", "It is so"], metadata: { event_payload: { nonce: "live1" } } },
    ]);
    expect(ref).toBe(`C1:${slack.said()[0]?.ts}:live1`);
  });

  it("is edited where nobody is known for whom it is, in as many messages as it takes", async () => {
    const connected = await connectSlack();
    const { slack, connector, signal } = connected;
    const { ts } = slack.say("C1", "the root");
    const place = { key: `slack:T0001:C1:other`, channel: "C1", thread: ts, isDirect: false };
    const live = connector.live(place, "live1", signal);
    const text = `\`\`\`ts\n${"const line = 1;\n".repeat(1_500)}\`\`\`\nThe end.`;
    live.show(text);
    const ref = await live.close();
    const shown = texts(connected);
    expect(shown).toHaveLength(3);
    expect(shown.map((part) => part.startsWith("```ts\n"))).toEqual([true, true, true]);
    expect(shown.join("").match(/const line/g)).toHaveLength(1_500);
    expect(ref).toBe(`C1:${slack.said()[2]?.ts}:live1.2`);
    expect(slack.callsOf("chat.startStream")).toEqual([]);
    // A stream shows by itself that the agent works.
    await slack.when(() => slack.callsOf("agents.sessions.setStatus").length === 2);
    const statuses = slack.callsOf("agents.sessions.setStatus").map(({ status }) => status);
    expect(statuses).toEqual(["processing", "active"]);
  });

  it("is edited from where the text has become another", async () => {
    const connected = await connectSlack();
    const { slack } = connected;
    const { live } = await answering(connected);
    await grown(connected, live, "I think that it is");
    live.show("No: it is not");
    await live.close();
    expect(texts(connected)).toEqual(["No: it is not"]);
    expect(slack.said()[0]?.stream?.endedBy).toBe("bot");
  });

  it("is said anew where nobody knows what came of a piece", async () => {
    const connected = await connectSlack();
    const { slack } = connected;
    const { live } = await answering(connected);
    await grown(connected, live, "One ");
    slack.fault("chat.appendStream", { kind: "break", after: true });
    live.show("One two ");
    await live.close();
    expect(texts(connected)).toEqual(["One two"]);
  });

  it("begins anew where Slack has ended the stream, and loses nothing", async () => {
    const connected = await connectSlack();
    const { slack } = connected;
    const { live } = await answering(connected);
    await grown(connected, live, "Look:\n```\none\n");
    const [first] = slack.said();
    if (first?.stream) first.stream.endedBy = "slack";
    live.show("Look:\n```\none\ntwo\n```\nDone.");
    await live.close();
    expect(texts(connected)).toEqual(["Look:\n```\none\n\n```", "```\ntwo\n```\nDone."]);
  });

  it("is given up with a word in the log where the bot may not speak, and says that it must be posted", async () => {
    const connected = await connectSlack();
    const { slack, connector, news, signal } = connected;
    const live = connector.live(
      { key: "slack:T0001:C9:1.1", channel: "C9", thread: "1.1", isDirect: false },
      "live1",
      signal,
    );
    live.show("Hello?");
    expect(await live.close()).toBeUndefined();
    expect(news.at(-1)).toMatch(/could not be shown as it came: Slack answered not_in_channel/);
    expect(slack.said("C9")).toEqual([]);
  });

  it("says nothing where nothing was to be shown", async () => {
    const connected = await connectSlack();
    const { live } = await answering(connected);
    expect(await live.close()).toBeUndefined();
    expect(texts(connected)).toEqual([]);
  });
});

it("is ended by the next process where its own was killed, and by no process that still writes it", async () => {
  const connected = await connectSlack();
  const { slack, connector, signal } = connected;
  const { place, live } = await answering(connected);
  const { workspace } = slack;
  const left = (text: string) =>
    workspace.add(workspace.joined("C1"), {
      ...{ user: BOT_USER, bot_id: BOT, text, thread_ts: place.thread ?? "" },
      stream: { began: workspace.clock.now() },
    });
  const unknown = left("Look:\n```\none");
  await grown(connected, live, "It is");
  const settled = await connector.settle(place, { nonce: "old1", addition: "_Cut off._" }, signal);
  expect(settled).toBe(`C1:${unknown.ts}:old1`);
  expect(unknown).toMatchObject({
    text: "Look:\n```\none\n```\n\n_Cut off._",
    stream: { endedBy: "bot" },
    metadata: { event_payload: { nonce: "old1" } },
  });
  const known = left("Two");
  if (known.stream) known.stream.endedBy = "slack";
  const ref = `C1:${known.ts}:old2`;
  expect(await connector.settle(place, { nonce: "old2", ref, addition: "_Cut off._" }, signal)).toBe(ref);
  expect(markdownIn(known)).toBe("Two\n\n_Cut off._");
  // The only one that is left is this process's own.
  expect(await connector.settle(place, { nonce: "old3" }, signal)).toBeUndefined();
  live.show("It is so");
  await live.close();
  expect(texts(connected)).toContain("It is so");
});

it("streams long texts in pieces that Slack takes", async () => {
  const connected = await connectSlack();
  const { live } = await answering(connected);
  const text = "A line with <tags> & more.\n".repeat(1_000);
  live.show(text);
  await live.close();
  const shown = texts(connected);
  expect(shown.length).toBeGreaterThan(2);
  expect(Math.max(...shown.map((part) => part.length))).toBeLessThan(14_000);
  expect(shown.join("").replaceAll("&lt;", "<")).toBe(text);
});
