import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BOB, BOT_USER, C1 } from "./discord/world.ts";
import { DISCORD_BOT_TOKEN, startDiscordService } from "./discord-service.ts";
import { needs } from "./needs.ts";

interface Posted {
  id: string;
  content: string;
  edit(given: object): Promise<Posted>;
}

interface Message {
  id: string;
  channelId: string;
  content: string;
  author: { bot: boolean };
  reply(given: object): Promise<Posted>;
  startThread(given: object): Promise<{ id: string; parentId: string; send(given: object): Promise<Posted> }>;
}

interface Interaction {
  commandName?: string;
  customId?: string;
  channelId: string;
  isButton(): boolean;
  deferReply(given: object): Promise<unknown>;
  editReply(given: object): Promise<unknown>;
  deferUpdate(): Promise<unknown>;
  followUp(given: object): Promise<unknown>;
}

interface Client {
  on(event: "messageCreate", listener: (message: Message) => void): void;
  on(event: "interactionCreate", listener: (interaction: Interaction) => void): void;
  on(event: "shardResume" | "clientReady", listener: () => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  login(token: string): Promise<string>;
  destroy(): Promise<void>;
}

interface DiscordJs {
  Client: new (options: object) => Client;
  GatewayIntentBits: Record<string, number>;
  Partials: Record<string, number>;
}

const programs = createRequire(join(import.meta.dirname, "programs", "package.json"));

it("is a Discord to the usual package: mentions, threads, edits, nonces, commands, buttons, a resumed session", async () => {
  needs("discord.js");
  const discord = await startDiscordService();
  const { Client, GatewayIntentBits: bits, Partials } = programs("discord.js") as DiscordJs;
  const client = new Client({
    intents: [bits.Guilds, bits.GuildMessages, bits.DirectMessages, bits.MessageContent],
    partials: [Partials.Channel],
    allowedMentions: { parse: [] },
    rest: { api: discord.apiUrl },
  });
  onTestFinished(() => client.destroy());
  const seen: string[] = [];
  const failures: unknown[] = [];
  const note = (what: string) => {
    seen.push(what);
    discord.changed();
  };
  const failed = (error: unknown) => {
    failures.push(error);
    note("failed");
  };
  client.on("error", failed);
  client.on("clientReady", () => note("ready"));
  client.on("shardResume", () => note("resumed"));
  const answer = async (message: Message) => {
    if (message.author.bot) return;
    note(`${message.channelId}: ${message.content}`);
    if (!message.content.includes("thread")) return;
    const thread = await message.startThread({ name: "a thread" });
    const given = { content: "@everyone one", nonce: "n1", enforceNonce: true };
    const button = { type: 2, style: 1, label: "Go", custom_id: "go" };
    const posted = await thread.send({ ...given, components: [{ type: 1, components: [button] }] });
    const again = await thread.send(given);
    note(`${thread.id === message.id} ${posted.id === again.id}`);
    await posted.edit({ content: "two" });
    note("edited");
  };
  client.on("messageCreate", (message) => void answer(message).catch(failed));
  const react = async (interaction: Interaction) => {
    if (interaction.isButton()) {
      await interaction.deferUpdate();
      await interaction.followUp({ content: "pressed", flags: 64 });
    } else {
      await interaction.deferReply({ flags: 64 });
      await interaction.editReply({ content: `${interaction.commandName} in ${interaction.channelId}` });
    }
  };
  client.on("interactionCreate", (interaction) => void react(interaction).catch(failed));
  await client.login(DISCORD_BOT_TOKEN);
  const saw = (what: string) => discord.when(() => seen.includes(what) || failures.length > 0);
  await saw("ready");
  const asked = discord.say(C1, `<@${BOT_USER}> a thread`);
  await saw("edited");
  expect(failures).toEqual([]);
  expect(seen).toContain("true true");
  const [said] = discord.said(asked.id);
  if (!said) throw new Error("nothing was said");
  expect(said).toMatchObject({ content: "two", edits: 1 });
  expect(discord.world.pinged).toEqual([]);
  const press = discord.press(said, "Go", BOB);
  await discord.when(() => press.said.length > 0 || failures.length > 0);
  const command = discord.command("status", {}, asked.id);
  await discord.when(() => command.said.length > 0 || failures.length > 0);
  expect(failures).toEqual([]);
  expect(press.answered?.type).toBe(6);
  expect(command.said).toMatchObject([{ content: `status in ${asked.id}` }]);
  discord.gateway.drop();
  discord.say(C1, "while it was away");
  await saw("resumed");
  await saw(`${C1}: while it was away`);
  expect(discord.gateway.identified).toHaveLength(1);
  expect(failures).toEqual([]);
});
