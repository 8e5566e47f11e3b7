import { describe, expect, it } from "vitest";
import { connectTo } from "../src/app/conversations/connect.ts";
import { ASKS, bash, isThere, making } from "./asking.ts";
import { talkative } from "./chat.ts";
import { ADA, BOB, BOT_USER, C1, C2, DM, GUILD, type StoredMessage } from "./discord/world.ts";
import { DISCORD_BOT_TOKEN, type DiscordService, startDiscordService } from "./discord-service.ts";
import { inSmallWindows, type ProjectOptions, shown, testProject } from "./harness.ts";
import { startTalking, type TalkingFleet } from "./talks.ts";

const MENTION = `<@${BOT_USER}>`;

/** A fleet that talks in one channel of a Discord of its own, through the connector that users get. */
async function talkingInDiscord({
  agent = "",
  chat: more = "",
  keys = "",
  ...options
}: Partial<ProjectOptions> & { chat?: string; keys?: string } = {}) {
  const discord = await startDiscordService();
  const env = { DISCORD_BOT_TOKEN, DISCORD_API_URL: discord.apiUrl };
  const guild = `guilds: [{ id: "${GUILD}", channels: [{ id: "${C1}" }] }]`;
  const chat = `chat: { discord: { ${[guild, keys].filter(Boolean).join(", ")} }${more && `, ${more}`} }`;
  const project = await testProject({ scenario: talkative(), agent: `${chat}\n${agent}`, env, ...options });
  const start = (): Promise<TalkingFleet> =>
    startTalking(project, {
      connect: (bot, onRecord) => connectTo(bot, { env, tell: () => {}, onRecord }),
    });
  const fleet = await start();
  await discord.when(() => discord.gateway.size === 1);
  return { discord, project, fleet, start };
}

const saidIn = (discord: DiscordService, { id }: Pick<StoredMessage, "id">): string[] =>
  discord.said(id).map(({ content }) => content);

async function threeWindows(): Promise<void> {
  const { discord, project } = await talkingInDiscord({
    scenario: inSmallWindows(14),
    // Half of it holds what Claude Code and a handoff bring along.
    agent: "session: { context_threshold: 70000 }",
  });
  const asked = discord.say(C1, `${MENTION} do all of it`);
  await discord.when(() => saidIn(discord, asked).some((text) => text.includes("All 14 steps are done.")));
  const job = await shown(project);
  expect(job.sessions.length).toBeGreaterThanOrEqual(3);
  expect(asked.reactions).toEqual(["👀"]);
  expect(discord.world.channel(asked.id)).toMatchObject({ name: "do all of it", parent_id: C1 });
  const handoffs = saidIn(discord, asked).filter((text) => text.includes("fresh session continues"));
  expect(handoffs).toHaveLength(job.sessions.length - 1);
  // Everything was said in the thread, each answer once.
  expect(discord.said(C1)).toEqual([]);
  const answers = saidIn(discord, asked).filter((text) => text.includes("All 14 steps are done."));
  expect(answers).toHaveLength(1);
  expect(discord.world.pinged).toEqual([]);
}

describe("a mention in Discord", () => {
  it("is answered in its thread, over three windows", threeWindows);

  it("is answered so by Claude Code", { tags: ["claude"] }, threeWindows);
});

it("continues a thread after a restart with what was written meanwhile, nothing twice", async () => {
  const { discord, fleet, start } = await talkingInDiscord();
  const thread = discord.say(C1, `${MENTION} ask-one`);
  const answered = (word: string) => () =>
    saidIn(discord, thread).some((text) => text.includes(`The answer to ask-${word} is yes.`));
  await discord.when(answered("one"));
  await fleet.end();
  discord.world.put(thread.id, BOB, "ask-two");
  await start();
  await discord.when(answered("two"));
  for (const word of ["one", "two"])
    expect(saidIn(discord, thread).filter((text) => text.includes(`ask-${word} is yes`))).toHaveLength(1);
  const status = discord.command("status", {}, thread.id);
  await discord.when(() => status.said.some(({ content }) => content.includes("Session 1")));
  discord.say(DM, "ask-direct");
  await discord.when(() =>
    discord.said(DM).some(({ content }) => content.includes("The answer to ask-direct is yes.")),
  );
  // A guild's channel that no agent answers in.
  discord.say(C2, `${MENTION} ask-three`);
  discord.say(thread.id, "ask-four");
  await discord.when(answered("four"));
  expect(discord.said(C2)).toEqual([]);
});

it("asks by buttons, and takes the answer of whom the configuration names, once", async () => {
  const { discord, project } = await talkingInDiscord({
    scenario: making(bash("touch made")),
    agent: ASKS,
    chat: `approvers: ["${BOB}"]`,
    keys: 'output: { acknowledge_emoji: "" }, presence: { activity_message: the tests }',
  });
  const thread = discord.say(C1, `${MENTION} write the file`);
  const question = await discord.when(() =>
    discord.said(thread.id).find(({ components }) => components.length > 0),
  );
  expect(thread.reactions).toEqual([]);
  expect(discord.gateway.identified).toMatchObject([{ presence: { activities: [{ name: "the tests" }] } }]);
  const wrong = discord.press(question, "Allow once", ADA);
  await discord.when(() => wrong.said.some(({ content }) => content.includes("cannot answer this")));
  expect(isThere(project, "made")).toBe(false);
  const shownTwice = { ...question };
  discord.press(question, "Allow once", BOB);
  await discord.when(() => question.components.length === 0 && question.content.includes(BOB));
  await discord.when(() => isThere(project, "made"));
  const again = discord.press(shownTwice, "Deny", BOB);
  await discord.when(() => again.said.some(({ content }) => content.includes("has already been answered")));
  expect(saidIn(discord, thread).join("\n")).not.toContain("cannot answer this");
});
