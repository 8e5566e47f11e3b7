import { describe, expect, it } from "vitest";
import { ServiceClock } from "../../../test/service-clock.ts";
import { connectSlack, connectTo, heardAs } from "../../../test/slack-connector.ts";
import { APP_TOKEN, BOT_TOKEN, startSlackService } from "../../../test/slack-service.ts";
import { ConnectorError } from "../error.ts";

const texts = (heard: readonly { kind: string }[]) =>
  heard.map((event) => ("text" in event ? event.text : event.kind));

describe("what was written while nobody listened", () => {
  it("is read by the next process: in channels, threads and direct messages, each once", async () => {
    const first = await connectSlack();
    const { slack, clock } = first;
    const old = slack.say("C1", "an old thread");
    const direct = slack.say("D1", "hello");
    const said = await heardAs(first, "message", 1);
    first.end();
    await first.ended;
    await slack.when(() => slack.sockets.size === 0);
    // Slack tells it again for minutes, and then no more.
    await clock.pass(3_600_000);
    const asked = slack.say("C1", "<@U0BOT> two");
    slack.say("C1", "three", { thread: old.ts });
    slack.say("C1", "four", { thread: asked.ts });
    slack.say("D1", "five", { thread: direct.ts });
    slack.say("C2", "elsewhere");
    const onRecord = async () => ({
      events: [`slack:${said.id}`],
      direct: ["D1"],
      threads: [
        { channel: "C1", thread: old.ts },
        { channel: "D1", thread: direct.ts },
      ],
    });
    const second = connectTo(slack, clock, undefined, { channels: ["C1"], onRecord });
    await heardAs(second, "message", 5);
    expect(texts(second.heard).sort()).toEqual(["an old thread", "five", "four", "hello", "three", "two"]);
    // What is on record already comes with the id that it had.
    expect(second.heard.map(({ id }) => id)).toContain(said.id);
    expect(second.heard.find((event) => event.kind === "message" && event.text === "two")).toMatchObject({
      isMention: true,
      place: { thread: asked.ts },
    });
  });

  it("is read after a drop too, and not where a connection was replaced before it ended", async () => {
    const onRecord = async () => ({ events: ["slack:slack:T0001:C1:1.1"], direct: [], threads: [] });
    const connected = await connectSlack({ channels: ["C1"], onRecord });
    const { slack } = connected;
    const reads = () => slack.callsOf("conversations.history").length;
    await slack.when(() => reads() === 1);
    slack.sockets.warn();
    await slack.when(() => slack.sockets.greeted === 2);
    slack.sockets.drop();
    await connected.clock.sleeping(1_000);
    slack.say("C1", "meanwhile");
    await connected.clock.pass(1_000);
    await heardAs(connected, "message");
    expect(reads()).toBe(2);
  });
});

describe("a connection that Slack ends", () => {
  it.each(["warning", "refresh_requested"])(
    "is replaced before it is gone, and nothing is lost: %s",
    async (reason) => {
      const { slack, heard, clock } = await connectSlack();
      let sent = 0;
      const say = (count: number) => {
        for (const until = sent + count; sent < until; sent++) slack.say("C1", `message ${sent}`);
      };
      say(10);
      for (let round = 2; round <= 3; round++) {
        slack.sockets.warn(reason);
        say(5);
        // Once is no reason to wait; soon again is.
        if (round === 3) {
          await clock.sleeping(1_000);
          say(5);
          await clock.pass(1_000);
        }
        // Until the new one is there, the old one hears; then both do.
        await slack.when(() => slack.sockets.greeted === round);
        say(15);
        await slack.when(() => heard.length === sent);
      }
      expect(slack.sockets.deliveries.filter(({ isLost }) => isLost)).toEqual([]);
      await slack.when(() => slack.sockets.deliveries.every(({ isAcked }) => isAcked));
      expect(texts(heard)).toHaveLength(new Set(texts(heard)).size);
    },
  );

  it("is closed ten seconds after another has replaced it", async () => {
    const { slack, clock } = await connectSlack();
    slack.sockets.warn();
    await slack.when(() => slack.sockets.size === 2);
    await clock.sleeping(10_000);
    await clock.pass(10_000);
    await slack.when(() => slack.sockets.size === 1);
    expect(slack.callsOf("apps.connections.open")).toHaveLength(2);
  });

  it("is there again at once after a drop, and what was not acknowledged comes again", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const connected = await connectSlack({ record: () => held });
    const { slack, heard, clock } = connected;
    slack.say("C1", "before the drop");
    await slack.when(() => slack.sockets.deliveries[0]?.told === 1);
    slack.sockets.drop();
    await slack.when(() => slack.sockets.greeted === 2);
    release();
    await heardAs(connected, "message");
    await clock.pass(3_000);
    await slack.when(() => slack.sockets.deliveries[0]?.isAcked);
    expect(slack.sockets.deliveries[0]?.told).toBe(2);
    expect(texts(heard)).toEqual(["before the drop"]);
  });

  it("is tried again later and later where Slack cannot be reached", async () => {
    const { slack, clock, news } = await connectSlack();
    const broken = { kind: "status" as const, status: 503 };
    slack.fault("apps.connections.open", broken, broken, broken);
    slack.sockets.drop();
    for (const wait of [1_000, 2_000, 4_000]) {
      await clock.sleeping(wait);
      await clock.pass(wait);
    }
    await slack.when(() => news.length === 3);
    expect(news).toEqual([
      "Slack is connected",
      "Slack cannot be reached: apps.connections.open of Slack gave no answer (status 503). Trying again",
      "Slack is connected",
    ]);
  });

  it("is waited for where Slack cannot be reached from the beginning", async () => {
    const clock = new ServiceClock();
    const slack = await startSlackService({ clock });
    slack.fault("auth.test", { kind: "break", after: false }, { kind: "limit", seconds: 30 });
    const { news } = connectTo(slack, clock);
    for (const wait of [1_000, 30_000]) {
      await clock.sleeping(wait);
      await clock.pass(wait);
    }
    await slack.when(() => news.length === 2);
    expect(news).toEqual([
      expect.stringContaining("Slack cannot be reached: auth.test"),
      "Slack is connected",
    ]);
  });

  it("is replaced where it has fallen silent", async () => {
    const { slack, clock } = await connectSlack();
    slack.sockets.ping();
    await slack.when(() => slack.sockets.pongs === 1);
    for (let at = 0; at < 7; at++) await clock.pass(5_000);
    expect(slack.sockets.greeted).toBe(1);
    await clock.pass(5_000);
    await slack.when(() => slack.sockets.greeted === 2);
  });

  it("waits where there are too many of them, and says so", async () => {
    const { slack, clock, news } = await connectSlack();
    slack.sockets.warn("too_many_websockets");
    await slack.when(() => news.length === 2);
    expect(news[1]).toMatch(/more than ten/);
    await clock.sleeping(8_000);
    expect(slack.callsOf("apps.connections.open")).toHaveLength(1);
    await clock.pass(8_000);
    await slack.when(() => slack.sockets.greeted === 2);
  });

  it("is given up where Socket Mode was switched off", async () => {
    const { slack, ended } = await connectSlack();
    slack.sockets.warn("link_disabled");
    expect(await ended).toMatchObject({ name: "ConnectorError", problem: /Socket Mode is switched off/ });
    await slack.when(() => slack.sockets.size === 0);
  });
});

describe("what is heard", () => {
  it("is acknowledged once it is on record, not before", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { slack, clock } = await connectSlack({ record: () => held });
    slack.say("C1", "keep this");
    await slack.when(() => slack.callsOf("users.info").length === 1);
    // Told again meanwhile, it waits for the same record.
    await clock.pass(3_000);
    expect(slack.sockets.deliveries[0]).toMatchObject({ told: 2, isAcked: false });
    release();
    await slack.when(() => slack.sockets.deliveries[0]?.isAcked);
  });

  it("comes again where it could not be recorded", async () => {
    let isFull = true;
    const connected = await connectSlack({
      record: async () => {
        if (isFull) throw new Error("no space left on device");
      },
    });
    const { slack, clock, news, heard } = connected;
    slack.say("C1", "keep this");
    await slack.when(() => news.some((text) => text.includes("no space left")));
    isFull = false;
    await clock.pass(3_000);
    await heardAs(connected, "message");
    await slack.when(() => slack.sockets.deliveries[0]?.isAcked);
    expect(texts(heard)).toEqual(["keep this"]);
  });

  it("goes to one of two programs on the same token, and each says so", async () => {
    const first = await connectSlack();
    const second = connectTo(first.slack, first.clock);
    await first.slack.when(() => second.news.length === 2);
    expect(second.news.join("\n")).toContain("Another program is connected with the same app token");
  });
});

describe("tokens that do not work", () => {
  it.each([
    ["the app's", { appToken: "xapp-wrong" }, /does not accept the app token \(invalid_auth\)/],
    ["the bot's", { botToken: "xoxb-wrong" }, /does not accept the bot token \(invalid_auth\)/],
    [
      "the wrong way round",
      { appToken: BOT_TOKEN, botToken: APP_TOKEN },
      /bot token \(not_allowed_token_type\)/,
    ],
  ])("end the connector, with what to do: %s", async (_, tokens, problem) => {
    const { ended } = await connectSlack(tokens);
    const error = await ended;
    if (!(error instanceof ConnectorError)) throw error;
    expect(error.problem).toMatch(problem);
    expect(error.remedy).not.toBe("");
    expect(error.message).not.toContain("wrong-");
  });

  it("end it when they are revoked, and stop nothing else", async () => {
    const { slack, ended } = await connectSlack();
    const clock = new ServiceClock();
    const other = connectTo(await startSlackService({ clock }), clock);
    await other.slack.when(() => other.slack.sockets.greeted === 1);
    slack.appToken = "xapp-another";
    slack.sockets.drop();
    expect(await ended).toBeInstanceOf(ConnectorError);
    other.slack.say("C1", "still here?");
    await heardAs(other, "message");
  });
});
