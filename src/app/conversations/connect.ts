import type { Connector } from "../../connectors/connector.ts";
import type { DiscordOptions } from "../../connectors/discord/discord.ts";
import { ConnectorError } from "../../connectors/error.ts";
import { given } from "../../util/given.ts";
import type { Bot, Speaker } from "./bots.ts";

interface ConnectOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** How the connection fares. */
  tell: (news: string) => void;
  /** What was heard before this process. */
  onRecord?: NonNullable<DiscordOptions["onRecord"]>;
}

/** The connection of a bot to its service, loaded only where one is configured. */
export async function connectTo(
  { kind, token, appToken = "", speakers }: Bot,
  { env, tell, onRecord }: ConnectOptions,
): Promise<Connector> {
  switch (kind) {
    case "slack": {
      const { SlackConnector } = await import("../../connectors/slack/slack.ts");
      const channels = speakers.flatMap(({ service }) => service.channels.map(({ id }) => id));
      const tokens = { botToken: token, appToken };
      return new SlackConnector({
        ...tokens,
        channels,
        ...given({ onRecord }),
        apiUrl: env.SLACK_API_URL,
        tell,
      });
    }
    case "terminal":
      throw new ConnectorError(kind, "Nobody is at a terminal here.", "Run `baton start` in a terminal.");
    case "discord": {
      const { DiscordConnector } = await import("../../connectors/discord/discord.ts");
      return new DiscordConnector({
        ...discordOf(speakers),
        token,
        ...given({ onRecord }),
        apiUrl: env.DISCORD_API_URL,
        tell,
      });
    }
  }
}

/** What all agents behind one bot want of it. */
function discordOf(
  speakers: readonly Speaker[],
): Pick<DiscordOptions, "guilds" | "channels" | "presence" | "commandsIn" | "hasSkills"> {
  const services = speakers.map(({ service }) => service);
  const commandsIn = services.map(({ commands }) => commands.guild ?? "global");
  return {
    guilds: services.flatMap(({ guilds }) =>
      guilds.map(({ id, mode }) => ({ id, answersEverywhere: mode !== undefined })),
    ),
    channels: services.flatMap(({ channels }) =>
      channels.map(({ id, guild }) => ({ id, ...given({ guild }) })),
    ),
    presence: services.find(({ presence }) => presence)?.presence,
    commandsIn: [...new Set(commandsIn)],
    hasSkills: services.some(({ skills }) => skills.length > 0),
  };
}
