import { onTestFinished } from "vitest";
import type { Connector, Heard } from "../src/connectors/connector.ts";
import { DiscordConnector, type DiscordOptions } from "../src/connectors/discord/discord.ts";
import { C1, GUILD } from "./discord/world.ts";
import { DISCORD_BOT_TOKEN, type DiscordService, startDiscordService } from "./discord-service.ts";
import { ServiceClock } from "./service-clock.ts";

export interface Connected {
  clock: ServiceClock;
  discord: DiscordService;
  connector: Connector;
  heard: Heard[];
  /** What the log says of the connection. */
  news: string[];
  signal: AbortSignal;
  /** Resolves when it has ended, with what it failed of. */
  ended: Promise<unknown>;
  end(): void;
}

interface Options extends Partial<DiscordOptions> {
  /** How what was heard is recorded. */
  record?: (event: Heard) => Promise<void>;
  set?: (discord: DiscordService) => void;
}

/** The connector on a Discord of its own, on a clock that stands still. */
export async function connectDiscord({ set, ...options }: Options = {}): Promise<Connected> {
  const clock = new ServiceClock();
  const discord = await startDiscordService({ clock });
  set?.(discord);
  const connected = connectTo(discord, clock, options);
  if (!options.token && discord.hasContentIntent)
    await discord.when(() => connected.news.includes("Discord is connected"));
  return connected;
}

/** Another process that connects to the same Discord. */
export function connectTo(
  discord: DiscordService,
  clock: ServiceClock,
  { record = async () => {}, ...options }: Options = {},
): Connected {
  const heard: Heard[] = [];
  const news: string[] = [];
  const connector = new DiscordConnector({
    token: DISCORD_BOT_TOKEN,
    guilds: [{ id: GUILD, answersEverywhere: false }],
    channels: [{ id: C1, guild: GUILD }],
    commandsIn: ["global"],
    hasSkills: false,
    apiUrl: discord.apiUrl,
    tell: (text) => {
      news.push(text);
      discord.changed();
    },
    clock,
    random: () => 1,
    ...options,
  });
  const ending = new AbortController();
  const hear = async (event: Heard) => {
    await record(event);
    heard.push(event);
    discord.changed();
  };
  const ended = connector.run(hear, ending.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  const end = () => ending.abort();
  onTestFinished(async () => {
    end();
    await ended;
  });
  return { clock, discord, connector, heard, news, signal: ending.signal, ended, end };
}

/** The n-th thing of a kind that was heard. */
export function heardAs<K extends Heard["kind"]>(
  { discord, heard }: Pick<Connected, "discord" | "heard">,
  kind: K,
  at = 0,
): Promise<Extract<Heard, { kind: K }>> {
  const ofKind = (event: Heard): event is Extract<Heard, { kind: K }> => event.kind === kind;
  return discord.when(() => heard.filter(ofKind)[at]);
}
