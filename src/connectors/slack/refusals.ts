/** Tokens that will not work the next time either. */
const OF_TOKENS = new Set([
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_allowed_token_type",
  "no_permission",
  "missing_scope",
  "user_removed_from_team",
  "team_disabled",
  "org_login_required",
  "team_access_not_granted",
]);

export function isOfToken(code: string): boolean {
  return OF_TOKENS.has(code);
}

/** What the user can do about a refusal; empty where there is nothing. */
export function remedyFor(code: string, needed: string | undefined): string {
  switch (code) {
    case "not_authed":
    case "invalid_auth":
    case "account_inactive":
    case "token_revoked":
    case "token_expired":
    case "user_removed_from_team":
      return "Copy the token again from the page of the app, under “Install App” (bot) or “Basic Information” (app level), and restart Baton.";
    case "not_allowed_token_type":
      return "The bot's token begins with xoxb-, the app's with xapp-. They may be the wrong way round.";
    case "missing_scope":
      return `Give the app the scope ${needed ?? "that it lacks"} under “OAuth & Permissions”, and install it again.`;
    case "not_in_channel":
      return "Invite the bot, with /invite in that channel.";
    case "channel_not_found":
      return "Check the channel's id; into a private channel, invite the bot first.";
    case "is_archived":
      return "The channel is archived. Choose another one.";
    case "redirected":
      return "Something between this machine and Slack answers in its place, or SLACK_API_URL is wrong.";
    default:
      return "";
  }
}
