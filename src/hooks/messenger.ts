import type { DiscordHook, SlackHook } from "../config/hook-config.ts";
import { withoutEnding } from "../util/text.ts";
import { type HookCall, HookError, type HookOutcome } from "./hook-call.ts";
import { type Answer, type Sending, send } from "./send.ts";

type Messenger = SlackHook | DiscordHook;

const RETRIES = 3;

/** Where a message goes: to the webhook, which knows its channel, or with the bot's token to a channel. */
export type Way = { webhookUrl: string } | { base: string; channelId: string; token: string };

/** `tokenHint`: what tells such a token from others. */
export function wayOf(
  { webhookUrl, channelId, tokenEnv, baseUrl }: Messenger,
  { env }: HookCall,
  { api, apiVariable, tokenHint = "" }: { api: string; apiVariable: string; tokenHint?: string },
): Way {
  if (webhookUrl !== undefined) return { webhookUrl };
  if (channelId === undefined) throw new HookError("it needs a channel_id or a webhook_url.");
  const token = env[tokenEnv];
  if (!token) throw new HookError(`${tokenEnv} is not set. It must hold the bot's token${tokenHint}.`);
  const base = baseUrl ?? (env[apiVariable] || api);
  return { base: withoutEnding(base, "/"), channelId, token };
}

/** `headers` are all but the one that lets the bot in, for which `scheme` is the word before its token. */
export function post(
  {
    url,
    content,
    headers,
    askedToWait,
  }: Pick<Sending, "url" | "headers" | "askedToWait"> & { content: object },
  bot: { scheme: string; token: string } | undefined,
  { timeoutMs }: Messenger,
  { signal, sleep }: HookCall,
): Promise<Answer> {
  const authorization = bot && { authorization: `${bot.scheme} ${bot.token}` };
  return send(
    {
      url,
      method: "POST",
      headers: { ...headers, ...authorization },
      body: JSON.stringify(content),
      retries: RETRIES,
      secrets: bot ? [bot.token] : [],
      ...(askedToWait && { askedToWait }),
    },
    { timeoutMs, signal, sleep },
  );
}

export function posted(way: Way): HookOutcome {
  return { ok: true, output: `posted to ${"channelId" in way ? way.channelId : "the webhook's channel"}` };
}
