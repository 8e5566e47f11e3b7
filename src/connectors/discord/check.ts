import { z } from "zod";
import { troubleIn, UndeliveredError } from "../error.ts";
import { GuildRoles, INVITE_PERMISSIONS, lacking, MemberRoles, Overwritten } from "./permissions.ts";
import { DiscordRefusal, type Rest } from "./rest.ts";

/** Of an application, whose bot is on few servers, or on many. */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

const Application = z.object({ id: z.string().max(25), flags: z.number().optional() });
const Self = z.object({ id: z.string().max(25) });

interface Finding {
  problem: string;
  remedy: string;
}

interface Where {
  guilds: readonly string[];
  channels: readonly { id: string; guild?: string }[];
}

/** What is wrong with the token, the intents, servers, channels and permissions, asked of Discord itself. */
export async function findingsOf(
  rest: Rest,
  { guilds, channels }: Where,
  signal: AbortSignal,
): Promise<Finding[]> {
  const found: Finding[] = [];
  const note = (error: unknown, what: string, remedy?: string) => {
    if (!(error instanceof UndeliveredError)) throw error;
    const why = error instanceof DiscordRefusal ? "" : ` (${troubleIn(error)})`;
    found.push({ problem: `${what}${why}.`, remedy: remedy ?? error.remedy });
  };
  const how = { signal, tries: 1 };
  try {
    const own = await rest.call("GET", "/users/@me", Self, how);
    const application = await rest.call("GET", "/applications/@me", Application, how);
    if (!((application.flags ?? 0) & MESSAGE_CONTENT))
      found.push({
        problem: "The bot may not read what people write: the message content intent is off.",
        remedy: "Switch on “Message Content Intent” under “Bot” on the page of the application.",
      });
    const invite = `invite it: ${inviteLink(application.id)}`;
    const known = new Map<string, Pick<Parameters<typeof lacking>[0], "guild" | "member">>();
    for (const id of guilds) {
      try {
        const guild = await rest.call("GET", `/guilds/${id}`, GuildRoles, how);
        const member = await rest.call("GET", `/guilds/${id}/members/${own.id}`, MemberRoles, how);
        known.set(id, { guild, member });
      } catch (error) {
        note(error, `The bot is not on the server ${id}`, `I${invite.slice(1)}`);
      }
    }
    for (const { id, guild } of channels) {
      const where = guild === undefined ? undefined : known.get(guild);
      if (!where) continue;
      try {
        const channel = await rest.call("GET", `/channels/${id}`, Overwritten, how);
        const lacks = lacking({ ...where, channel, own: own.id });
        if (lacks.length === 0) continue;
        found.push({
          problem: `In the channel ${id} the bot lacks ${lacks.join(", ")}.`,
          remedy: `Give its role these permissions, there or on the server; or ${invite}`,
        });
      } catch (error) {
        note(error, `The bot does not see the channel ${id}`);
      }
    }
  } catch (error) {
    const isRefused = error instanceof DiscordRefusal && error.status === 401;
    note(
      error,
      isRefused ? "Discord does not accept the bot's token" : "Discord cannot be asked about the bot",
    );
  }
  return found;
}

function inviteLink(application: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${application}&scope=bot+applications.commands&permissions=${INVITE_PERMISSIONS}`;
}
