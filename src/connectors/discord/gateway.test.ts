import { describe, expect, it } from "vitest";
import { HEARTBEAT_MS } from "../../../test/discord/gateway.ts";
import { ADA, BOT_USER, C1, C2, DM } from "../../../test/discord/world.ts";
import { connectDiscord, connectTo, heardAs } from "../../../test/discord-connector.ts";
import type { Heard } from "../connector.ts";
import { ConnectorError } from "../error.ts";
import { gatewayAddress } from "./gateway.ts";

const texts = (heard: readonly Heard[]) =>
  heard.flatMap((event) => (event.kind === "message" ? [event.text] : []));

describe("a session", () => {
  it("asks for what it needs, and shows what the configuration says", async () => {
    const { discord } = await connectDiscord({ presence: { type: "watching", message: "the tests" } });
    expect(discord.gateway.identified).toEqual([
      {
        intents: 1 | (1 << 9) | (1 << 12) | (1 << 15),
        presence: { since: null, activities: [{ name: "the tests", type: 3 }], status: "online", afk: false },
      },
    ]);
  });

  it("continues over a dropped connection, and where Discord asks for it: nothing lost, nothing twice", async () => {
    const connected = await connectDiscord();
    const { discord, heard, clock } = connected;
    discord.say(C1, "one");
    await heardAs(connected, "message");
    discord.gateway.drop();
    discord.say(C1, "two");
    await heardAs(connected, "message", 1);
    discord.gateway.say(7);
    await discord.when(() => discord.gateway.closedWith.includes(4000));
    discord.say(C1, "three");
    await clock.sleeping(1_000);
    await clock.pass(1_000);
    await heardAs(connected, "message", 2);
    expect(texts(heard)).toEqual(["one", "two", "three"]);
    expect(discord.gateway.identified).toHaveLength(1);
  });

  it("begins anew where Discord has forgotten it, and asks for what was written meanwhile", async () => {
    const connected = await connectDiscord();
    const { discord, heard, clock } = connected;
    discord.say(C1, "one");
    discord.say(DM, "alone");
    await heardAs(connected, "message", 1);
    await clock.pass(40_000);
    discord.gateway.forget();
    discord.gateway.drop();
    for (let n = 0; n < 130; n++) discord.world.put(C1, ADA, `missed ${n}`);
    discord.world.put(C2, ADA, "not for us");
    discord.world.put(DM, ADA, "still alone");
    await clock.sleeping(5_000);
    await clock.pass(5_000);
    await heardAs(connected, "message", 132);
    expect(texts(heard).filter((text) => text.startsWith("missed"))).toHaveLength(130);
    expect(texts(heard)).toContain("still alone");
    expect(texts(heard)).not.toContain("not for us");
    expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length);
    expect(discord.gateway.identified).toHaveLength(2);
  });

  it("is continued elsewhere where its address is gone", async () => {
    const connected = await connectDiscord({
      set: (discord) => {
        discord.gateway.resumesAt = "ws://127.0.0.1:1";
      },
    });
    const { discord, clock, heard } = connected;
    discord.gateway.drop();
    discord.say(C1, "one");
    for (const ms of [1_000, 2_000, 4_000]) {
      await clock.sleeping(ms);
      await clock.pass(ms);
    }
    await heardAs(connected, "message");
    expect(texts(heard)).toEqual(["one"]);
    expect(discord.gateway.resumed).toHaveLength(1);
    expect(discord.callsOf("GET", /gateway/)).toHaveLength(2);
  });

  it("of another process reads what came after the last event on record", async () => {
    const first = await connectDiscord();
    const { discord, clock } = first;
    discord.say(C1, `<@${BOT_USER}> one`);
    const { id, place } = await heardAs(first, "message");
    await first.connector.post(place, { nonce: "n1", text: "Yes." }, first.signal);
    first.end();
    await first.ended;
    await clock.pass(600_000);
    discord.world.put(place.thread ?? "", ADA, "two");
    discord.world.put(DM, ADA, "three");
    const second = connectTo(discord, clock, {
      onRecord: async () => ({ events: [`discord:${id}`], direct: [DM], threads: [] }),
    });
    await heardAs(second, "message", 2);
    // The last one comes again, with its id: what came just before it may not be recorded.
    expect(texts(second.heard).sort()).toEqual(["one", "three", "two"]);
    expect(second.heard.find((event) => event.kind === "message" && event.text === "one")).toMatchObject({
      id,
    });
    expect(second.heard.find((event) => event.kind === "message" && event.text === "two")).toMatchObject({
      place: { key: place.key },
    });
  });

  it("hears again what could not be recorded", async () => {
    let failures = 1;
    const record = async ({ kind }: Heard) => {
      if (kind === "message" && failures-- > 0) throw new Error("the disk is full");
    };
    const connected = await connectDiscord({ record });
    const { discord, heard, news } = connected;
    discord.say(C1, "one");
    discord.say(C1, "two");
    await heardAs(connected, "message", 1);
    expect(texts(heard)).toEqual(["one", "two"]);
    expect(news.join("\n")).toContain("not on record, and will come again: the disk is full");
  });

  it("is replaced where heartbeats are not answered", async () => {
    const connected = await connectDiscord();
    const { discord, clock } = connected;
    await clock.sleeping(HEARTBEAT_MS);
    await clock.pass(HEARTBEAT_MS);
    await discord.when(() => discord.gateway.beats === 1);
    // The answer is there before the next beat.
    discord.say(C1, "x");
    await heardAs(connected, "message");
    await clock.sleeping(HEARTBEAT_MS);
    discord.gateway.acksBeats = false;
    await clock.pass(HEARTBEAT_MS);
    await discord.when(() => discord.gateway.beats === 2);
    await clock.sleeping(HEARTBEAT_MS);
    await clock.pass(HEARTBEAT_MS);
    await discord.when(() => discord.gateway.resumed.length === 1);
    await discord.when(() => discord.gateway.closedWith.length > 0);
    expect(discord.gateway.closedWith).toEqual([4000]);
  });
});

describe("what can never work", () => {
  it.each([
    [4004, "does not accept the bot's token"],
    [4010, "more than one connection"],
    [4013, "intents"],
    [4014, "message content intent is off"],
  ])("is said of close code %i, and ends the connector", async (code, problem) => {
    const { discord, ended } = await connectDiscord();
    discord.gateway.close(code);
    expect(await ended).toMatchObject({ name: "ConnectorError", problem: expect.stringContaining(problem) });
  });

  it("is a wrong token, and an intent that is off", async () => {
    const wrong = await connectDiscord({ token: "wrong-token-of-a-bot" });
    expect(await wrong.ended).toBeInstanceOf(ConnectorError);
    const off = await connectDiscord({
      set: (discord) => {
        discord.hasContentIntent = false;
      },
    });
    expect(await off.ended).toMatchObject({ remedy: expect.stringContaining("Message Content Intent") });
  });
});

it.each([
  ["wss://gateway.discord.gg", "https://discord.com/api/v10", true],
  ["wss://gateway-us-east1-b.discord.gg/", "https://discord.com/api/v10", true],
  ["ws://gateway.discord.gg", "https://discord.com/api/v10", false],
  ["wss://discord.gg.evil.test", "https://discord.com/api/v10", false],
  ["wss://a:b@gateway.discord.gg", "https://discord.com/api/v10", false],
  ["ws://127.0.0.1:5", "http://127.0.0.1:4/api/v10", true],
  ["ws://evil.test", "http://127.0.0.1:4/api/v10", false],
])("takes its token to %s of %s: %s", (address, base, isTaken) => {
  expect(gatewayAddress(address, base) !== undefined).toBe(isTaken);
});
