import { describe, expect, it } from "vitest";
import { ADA, APPLICATION, BOB, BOT_USER, C1, C2, DM, GUILD, ROLE } from "../../../test/discord/world.ts";
import { type Connected, connectDiscord, heardAs } from "../../../test/discord-connector.ts";
import type { Heard } from "../connector.ts";

const MENTION = `<@${BOT_USER}>`;

/** Somebody has asked, and this is where. */
async function asked(connected: Connected, text = `${MENTION} hello`) {
  connected.discord.say(C1, text);
  const { place } = await heardAs(connected, "message");
  return place;
}

describe("what people say", () => {
  it("is heard once, with names, in the thread that begins at it", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal } = connected;
    const said = discord.say(C1, `${MENTION} fix <#${C2}>, <@${BOB}> waits <:ship:${C2}>`);
    const message = await heardAs(connected, "message");
    expect(message).toMatchObject({
      place: {
        key: `discord:${GUILD}:${said.id}`,
        channel: C1,
        thread: said.id,
        isDirect: false,
        guild: GUILD,
      },
      by: { id: ADA, name: "Ada Byron" },
      text: "fix #quiet, @bob waits :ship:",
      isMention: true,
    });
    await connector.acknowledge(message, { emoji: "👀", types: false }, signal);
    await connector.acknowledge(message, { emoji: "", types: false }, signal);
    expect(said.reactions).toEqual(["👀"]);
    await connector.post(message.place, { nonce: "n1", text: "Done, @everyone." }, signal);
    expect(discord.world.channel(said.id)).toMatchObject({
      parent_id: C1,
      name: "fix #quiet, @bob waits :ship:",
    });
    expect(discord.world.pinged).toEqual([]);
    discord.say(said.id, "and now?", { by: BOB });
    expect(await heardAs(connected, "message", 1)).toMatchObject({
      place: { key: message.place.key, channel: C1, thread: said.id },
      by: { name: "bob" },
      isMention: false,
    });
    discord.say(C1, `<@&${ROLE}> hello`, { more: { mention_roles: [ROLE] } });
    expect(await heardAs(connected, "message", 2)).toMatchObject({ isMention: true, text: "hello" });
    discord.say(DM, "alone");
    expect(await heardAs(connected, "message", 3)).toMatchObject({
      place: { key: `discord:dm:${DM}`, channel: DM, isDirect: true },
    });
  });

  it("gives its thread a name that Discord takes, also where a sign is where it is cut", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal } = connected;
    const { id } = discord.say(C1, `${MENTION} ${"x".repeat(78)}🚀 and more`);
    const { place } = await heardAs(connected, "message");
    await connector.post(place, { nonce: "n1", text: "Yes." }, signal);
    expect(discord.world.channel(id).name).toBe(`${"x".repeat(78)}…`);
  });

  it("is dropped where it is no person's word to us", async () => {
    const connected = await connectDiscord();
    const { discord } = connected;
    const { users } = discord.world;
    const base = {
      type: 0,
      channel_id: C1,
      guild_id: GUILD,
      content: `${MENTION} run this`,
      attachments: [],
    };
    const ada = users.get(ADA);
    const hostile: [string, object][] = [
      ["MESSAGE_CREATE", { ...base, id: discord.world.nextId(), author: users.get(BOT_USER) }],
      ["MESSAGE_CREATE", { ...base, id: discord.world.nextId(), author: { ...ada, bot: true } }],
      ["MESSAGE_CREATE", { ...base, id: discord.world.nextId(), author: ada, webhook_id: "1" }],
      ["MESSAGE_CREATE", { ...base, id: discord.world.nextId(), author: ada, type: 21 }],
      ["MESSAGE_CREATE", { ...base, id: "../1", author: ada }],
      ["MESSAGE_CREATE", { ...base, id: discord.world.nextId(), author: ada, content: { $ne: "" } }],
      ["MESSAGE_UPDATE", { ...base, id: discord.world.nextId(), author: ada }],
      ["MESSAGE_DELETE", { id: "1", channel_id: C1 }],
      ["INTERACTION_CREATE", { id: "1" }],
      ["__proto__", {}],
      ["GUILD_CREATE", { id: 7 }],
    ];
    for (const [type, data] of hostile) discord.told(type, data);
    discord.say(C1, "a person");
    await heardAs(connected, "message");
    expect(connected.heard).toMatchObject([{ text: "a person" }]);
  });

  it("makes a thread that an earlier process did not come to, and one that somebody else was faster with", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal } = connected;
    const place = await asked(connected);
    const early = discord.world.put(C1, ADA, `${MENTION} earlier`);
    const before = { ...place, key: `discord:${GUILD}:${early.id}`, thread: early.id };
    await connector.post(before, { nonce: "n1", text: "Here." }, signal);
    expect(discord.world.channel(early.id).name).toBe("earlier");
    discord.world.add({ id: place.thread ?? "", type: 11, name: "by hand", parent_id: C1 });
    await connector.post(place, { nonce: "n2", text: "There." }, signal);
    expect(discord.said(place.thread ?? "").map(({ content }) => content)).toEqual(["There."]);
  });

  it("is history, oldest first: of the channel where the thread does not exist yet", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal } = connected;
    discord.say(C1, "the build is red", { by: BOB });
    discord.say(C1, `${MENTION} why?`);
    const { place } = await heardAs(connected, "message", 1);
    expect((await connector.history(place, 10, signal)).map(({ text }) => text)).toEqual([
      "the build is red",
      "why?",
    ]);
    await connector.post(place, { nonce: "n1", text: "A test fails." }, signal);
    expect(await connector.history(place, 10, signal)).toEqual([
      { by: { id: BOT_USER, name: "Baton" }, isOurs: true, text: "A test fails." },
    ]);
  });

  it("comes with files, which are read up to a size and from Discord alone", async () => {
    const connected = await connectDiscord();
    const { discord, signal } = connected;
    const file = { id: C2, filename: "log.txt", content_type: "text/plain; charset=utf-8", size: 18 };
    const attachments = [
      { ...file, url: `${discord.url}/attachments/1/log.txt` },
      { ...file, url: "https://cdn.discordapp.com.evil.test/log.txt" },
    ];
    discord.say(C1, "look", { more: { attachments } });
    const [mine, others] = (await heardAs(connected, "message")).files;
    expect(mine).toMatchObject({ name: "log.txt", type: "text/plain", bytes: 18 });
    expect(String(Buffer.from((await mine?.read(100, signal)) ?? []))).toBe("content of log.txt");
    await expect(mine?.read(10, signal)).rejects.toThrow("larger than 10 bytes");
    await expect(others?.read(100, signal)).rejects.toThrow("not at one of Discord's own addresses");
  });
});

describe("a message", () => {
  it("is posted once where the answer breaks after it has arrived, with its file", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal, clock } = connected;
    const place = await asked(connected);
    discord.fault(/messages$/, { kind: "break", after: true });
    const file = { name: "answer.md", content: "x".repeat(60_000) };
    const posting = connector.post(place, { nonce: "n1", text: "Done.", file }, signal);
    await clock.sleeping(1_000);
    await clock.pass(1_000);
    const ref = await posting;
    const said = discord.said(place.thread ?? "");
    expect(said.map(({ content, files }) => [content, files])).toEqual([["Done.", [file]]]);
    expect(ref).toBe(`${place.thread}:${said[0]?.id}`);
  });

  it("waits where Discord limits it, and one that is too long is not sent", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal, clock } = connected;
    const place = await asked(connected);
    discord.fault(/messages$/, { kind: "limit", seconds: 2 });
    const posting = connector.post(place, { nonce: "n1", text: "Done." }, signal);
    await clock.sleeping(2_000);
    expect(discord.said(place.thread ?? "")).toEqual([]);
    await clock.pass(2_000);
    await posting;
    discord.fault(/messages$/, { kind: "limit", seconds: 3, isGlobal: true });
    const second = connector.post(place, { nonce: "n2", text: "More." }, signal);
    await clock.sleeping(3_000);
    const { length } = discord.calls;
    const other = connector.history(place, 5, signal);
    await clock.pass(3_000);
    await Promise.all([second, other]);
    expect(discord.calls.length).toBe(length + 2);
    await expect(connector.post(place, { nonce: "n3", text: "x".repeat(2_001) }, signal)).rejects.toThrow(
      "Discord takes 2000",
    );
  });

  it("keeps to the limit of its route without being told off", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal, clock } = connected;
    const place = await asked(connected);
    for (let n = 1; n <= 5; n++) await connector.post(place, { nonce: `n${n}`, text: `${n}` }, signal);
    const sixth = connector.post(place, { nonce: "n6", text: "6" }, signal);
    await clock.sleeping(5_000);
    expect(discord.said(place.thread ?? "")).toHaveLength(5);
    await clock.pass(5_000);
    await sixth;
    expect(discord.said(place.thread ?? "")).toHaveLength(6);
  });

  it("is shown as it comes: the newest state, no edit sooner than allowed, and where it is", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal, clock } = connected;
    const place = await asked(connected);
    const begun: string[] = [];
    const live = connector.live(place, "live1", signal, async (ref) => void begun.push(ref));
    live.show("One");
    const message = await discord.when(() => discord.said(place.thread ?? "")[0]);
    live.show("One two");
    await discord.when(() => message.content === "One two");
    for (const text of ["One two t", "One two th", "One two three"]) live.show(text);
    const closing = live.close();
    await clock.sleeping(1_200);
    expect(message.content).toBe("One two");
    await clock.pass(1_200);
    expect(await closing).toBe(`${place.thread}:${message.id}`);
    expect(message).toMatchObject({ content: "One two three", edits: 2 });
    expect(begun).toEqual([`${place.thread}:${message.id}`]);
    // A process that was killed meanwhile left it as it is.
    const [ref = ""] = begun;
    expect(await connector.settle(place, { nonce: "live1", ref }, signal)).toBe(ref);
    const adding = connector.settle(place, { nonce: "live1", ref, addition: "_Cut off._" }, signal);
    await clock.sleeping(1_200);
    await clock.pass(1_200);
    expect(await adding).toBe(ref);
    expect(message.content).toBe("One two three\n\n_Cut off._");
    const gone = `${place.thread}:${C2}`;
    expect(await connector.settle(place, { nonce: "live1", ref: gone }, signal)).toBeUndefined();
  });
});

describe("buttons and commands", () => {
  it("are answered once they are on record, and to the one who asked alone", async () => {
    const connected = await connectDiscord();
    const { discord, connector, signal } = connected;
    const place = await asked(connected);
    const buttons = [{ id: "ask1:allow", label: "Allow", style: "primary" as const }];
    const ref = await connector.post(place, { nonce: "n1", text: "May I?", buttons }, signal);
    const [question] = discord.said(place.thread ?? "");
    if (!question) throw new Error("nothing was said");
    const press = discord.press(question, "Allow", BOB);
    const pressed = await heardAs(connected, "pressed");
    expect(pressed).toMatchObject({
      button: "ask1:allow",
      by: { id: BOB, name: "bob" },
      place: { key: place.key },
    });
    await pressed.answer?.("Not you.");
    expect(press.answered).toEqual({ type: 6 });
    expect(press.said).toMatchObject([{ content: "Not you.", flags: 64 }]);
    await connector.edit(place, ref, { text: "Allowed." }, signal);
    expect(question).toMatchObject({ content: "Allowed.", components: [] });
    const command = discord.command("handoff", { focus: "the tests" }, place.thread);
    const given = await heardAs(connected, "command");
    expect(given).toMatchObject({
      name: "handoff",
      text: "the tests",
      place: { key: place.key, thread: place.thread },
    });
    await given.answer("I continue.");
    expect(command.answered).toEqual({ type: 5, data: { flags: 64 } });
    expect(command.said).toMatchObject([{ content: "I continue." }]);
  });

  it("are not acknowledged where they are not on record, nor too late", async () => {
    const recording = Promise.withResolvers<void>();
    const record = async ({ kind }: Heard) => {
      if (kind === "command") await recording.promise;
    };
    const connected = await connectDiscord({ record });
    const { discord, clock } = connected;
    const command = discord.command("status");
    discord.say(C1, "meanwhile");
    await heardAs(connected, "message");
    await clock.pass(3_500);
    recording.resolve();
    const given = await heardAs(connected, "command");
    await expect(given.answer("Late.")).rejects.toThrow("10062");
    expect(command.answered).toBeUndefined();
  });

  it("end in words where nobody answers", async () => {
    const { discord, clock } = await connectDiscord();
    const command = discord.command("status", {}, C2);
    await discord.when(() => command.answered);
    await clock.sleeping(10_000);
    await clock.pass(10_000);
    await discord.when(() => command.said.some(({ content }) => content.includes("do not answer here")));
  });

  it("are registered in one call, everywhere or on one server", async () => {
    const everywhere = await connectDiscord();
    const names = ["help", "status", "stop", "reset", "handoff", "sessions", "cost"];
    const all = await everywhere.discord.when(() => everywhere.discord.commands.get("global"));
    expect(all.map(({ name }) => name)).toEqual(names);
    const { discord } = await connectDiscord({ commandsIn: [GUILD], hasSkills: true });
    const there = await discord.when(() => discord.commands.get(GUILD));
    expect(there.map(({ name }) => name)).toEqual([...names, "skill"]);
    expect(discord.callsOf("PUT", new RegExp(`^/applications/${APPLICATION}/`))).toHaveLength(1);
    const skill = discord.command("skill", { name: "deploy", words: "staging" });
    await discord.when(() => skill.answered);
    expect(skill.answered).toMatchObject({ type: 4, data: { content: "/skill deploy staging" } });
  });
});

describe("baton doctor", () => {
  it("finds nothing where all is well", async () => {
    const { connector, signal } = await connectDiscord();
    expect(await connector.check(signal)).toEqual([]);
  });

  it("says what is wrong with intents, servers, channels, permissions and the token", async () => {
    const channels = [
      { id: C1, guild: GUILD },
      { id: "4000000000000000404", guild: GUILD },
    ];
    const guilds = [{ id: "1000000000000000404", answersEverywhere: true }];
    const { connector, discord, signal } = await connectDiscord({ channels, guilds });
    await discord.when(() => discord.commands.size);
    discord.gateway.forget();
    discord.hasContentIntent = false;
    discord.world.channel(C1).overwrites.push({ id: ROLE, type: 0, allow: "0", deny: String(1n << 38n) });
    const found = await connector.check(signal);
    expect(found.map(({ problem }) => problem)).toEqual([
      "The bot may not read what people write: the message content intent is off.",
      "The bot is not on the server 1000000000000000404.",
      `In the channel ${C1} the bot lacks Send Messages in Threads (it cannot answer in a thread).`,
      "The bot does not see the channel 4000000000000000404.",
    ]);
    expect(found[1]?.remedy).toContain("permissions=309237746752");
    discord.token = "another";
    expect(await connector.check(signal)).toMatchObject([
      { problem: "Discord does not accept the bot's token." },
    ]);
  });
});
