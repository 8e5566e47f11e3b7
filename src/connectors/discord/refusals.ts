export const UNKNOWN_CHANNEL = 10003;
export const HAS_THREAD = 160004;
export const ANSWERED_ALREADY = 40060;
const MISSING_ACCESS = 50001;

/** What the user can do about a refusal; empty where there is nothing. */
export function remedyFor(status: number, code: number): string {
  switch (code) {
    case UNKNOWN_CHANNEL:
      return "Check the channel's id.";
    case 10004:
      return "Check the server's id.";
    case MISSING_ACCESS:
      return "Invite the bot to the server, and let it see the channel.";
    case 50007:
      return "The person takes no direct messages of this bot.";
    case 50013:
      return "Give the bot's role the permissions of the invite link in docs/discord.md, in that channel too.";
    case 50083:
      return "The thread is archived and locked.";
    case 160006:
      return "The server has no room for another open thread: archive some.";
  }
  if (status === 401) return "Copy the token again: “Bot”, “Reset Token” on the page of the application.";
  return "";
}
