import { z } from "zod";
import { troubleIn, UndeliveredError } from "../error.ts";
import { type SlackApi, SlackRefusal } from "./web-api.ts";

/** What the bot cannot do without each scope. */
export const NEEDED_SCOPES: Record<string, string> = {
  "app_mentions:read": "mentions do not arrive",
  "chat:write": "it cannot answer",
  "channels:history": "threads of public channels cannot be read",
  "groups:history": "threads of private channels cannot be read",
  "im:history": "direct messages do not arrive",
  "reactions:write": "it cannot show that it saw a message",
  "files:read": "it cannot read what people attach",
  "files:write": "it cannot attach long answers",
  "users:read": "it knows people by their id only",
  "metadata.message:read": "it cannot find its own message again after a crash",
};

export interface Finding {
  problem: string;
  remedy: string;
}

const Nothing = z.looseObject({});

/** What is wrong with tokens, scopes and channels, asked of Slack itself. */
export async function findingsOf(
  { bot, app }: { bot: SlackApi; app: SlackApi },
  channels: readonly string[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const found: Finding[] = [];
  const botWorks = await works(bot, "auth.test", "the bot token", found, signal);
  await works(app, "apps.connections.open", "the app token", found, signal);
  if (!botWorks) return found;
  const missing = Object.keys(NEEDED_SCOPES).filter((scope) => bot.scopes && !bot.scopes.includes(scope));
  if (missing.length > 0) {
    found.push({
      problem: `The bot token lacks ${missing.map((scope) => `${scope} (${NEEDED_SCOPES[scope]})`).join(", ")}.`,
      remedy: "Add these under “OAuth & Permissions” on the page of the app, and install it again.",
    });
  }
  for (const channel of channels) {
    try {
      await bot.call("conversations.history", { channel, limit: 1 }, Nothing, { signal });
    } catch (error) {
      if (!(error instanceof UndeliveredError)) throw error;
      const why = error instanceof SlackRefusal ? error.code : troubleIn(error);
      if (why !== "missing_scope") {
        found.push({ problem: `The bot cannot read the channel ${channel} (${why}).`, remedy: error.remedy });
      }
    }
  }
  return found;
}

async function works(
  api: SlackApi,
  method: string,
  what: string,
  found: Finding[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await api.call(method, {}, Nothing, { signal, again: false });
    return true;
  } catch (error) {
    if (!(error instanceof UndeliveredError)) throw error;
    const problem =
      error instanceof SlackRefusal
        ? `Slack does not accept ${what} (${error.code}).`
        : `Slack cannot be asked about ${what}: ${troubleIn(error)}.`;
    found.push({ problem, remedy: error.remedy });
    return false;
  }
}
