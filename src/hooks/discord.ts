import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { DiscordHook } from "../config/hook-config.ts";
import { fromJson } from "../util/json.ts";
import { oneLine } from "../util/printable.ts";
import { version } from "../version.ts";
import type { HookCall, HookOutcome } from "./hook-call.ts";
import { type Message, shortened, type Tone } from "./message.ts";
import { post, posted, type Way, wayOf } from "./messenger.ts";
import { type Answer, asksToWait } from "./send.ts";

const API = "https://discord.com/api/v10";
const TITLE_LIMIT = 256;
const FACT_LIMIT = 300;
/** Discord allows 4096, and 6000 with title and facts; people do not read as much in a message. */
const TEXT_LIMIT = 2_000;

export async function runDiscord(hook: DiscordHook, call: HookCall): Promise<HookOutcome> {
  const content = { embeds: [embedOf(call.message)], allowed_mentions: { parse: [] } };
  const way = wayOf(hook, call, { api: API, apiVariable: "DISCORD_API_URL" });
  const answer = await ("webhookUrl" in way ? toWebhook(way.webhookUrl) : toChannel(way));
  return answer.ok ? posted(way) : refused(answer, hook);

  function toWebhook(address: string): Promise<Answer> {
    return post({ url: confirmed(address), content, headers: headers(), askedToWait }, undefined, hook, call);
  }

  function toChannel({ base, channelId, token }: Exclude<Way, { webhookUrl: string }>): Promise<Answer> {
    const url = `${base}/channels/${encodeURIComponent(channelId)}/messages`;
    // With a nonce, an attempt that did arrive and only looked lost does not become a second message.
    const once = { nonce: randomBytes(12).toString("hex"), enforce_nonce: true };
    const message = { url, content: { ...content, ...once }, headers: headers(), askedToWait };
    return post(message, { scheme: "Bot", token }, hook, call);
  }
}

function headers() {
  // The form that Discord asks for; it may block others.
  return { "content-type": "application/json", "user-agent": `DiscordBot (baton, ${version()})` };
}

function askedToWait(text: string): number | undefined {
  return RateLimited.safeParse(fromJson(text)).data?.retry_after;
}

/** Without this, Discord answers before it has looked at the message. */
function confirmed(address: string): string {
  const url = URL.parse(address);
  url?.searchParams.set("wait", "true");
  return url?.href ?? address;
}

/** More exact than the header, which has whole seconds. */
const RateLimited = z.object({ retry_after: z.number() });
const Refusal = z.object({ code: z.number(), message: z.string() });

function refused(answer: Answer, hook: DiscordHook): HookOutcome {
  const said = Refusal.safeParse(fromJson(answer.text)).data;
  const words = said === undefined ? "" : ` (${said.message.slice(0, 200)}, code ${said.code})`;
  const wait = asksToWait(answer);
  const todo = advice(answer.status, said?.code, hook);
  const error = `Discord answered ${answer.status}${words}${wait}${todo === "" ? "" : `: ${todo}`}`;
  return { ok: false, output: "", error };
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes */
function advice(status: number, code: number | undefined, { channelId, tokenEnv }: DiscordHook): string {
  switch (code) {
    case 10003:
      return `check the channel_id ${channelId}`;
    case 10015:
    case 50027:
      return "the webhook is no longer there; make a new one and correct webhook_url";
    case 50001:
      return `invite the bot to the server and let it see the channel ${channelId}`;
    case 50013:
      return `allow the bot to send messages and embed links in the channel ${channelId}`;
  }
  if (status === 401) return `check the token in ${tokenEnv}`;
  if (status === 429) return "too many messages; narrow the hook with on_events";
  return "";
}

const COLOURS: Record<Tone, number> = {
  good: 0x2ea043,
  bad: 0xda3633,
  caution: 0xd29922,
  plain: 0x388bfd,
  quiet: 0x388bfd,
};

function embedOf({ tone, title, facts, text }: Message) {
  const headline = shortened(oneLine(title), TITLE_LIMIT, escaped);
  const fields = facts.map(({ label, value, link }) => ({
    name: label,
    value: link ? shortened(value, FACT_LIMIT) : shortened(oneLine(value), FACT_LIMIT, escaped),
    inline: !link,
  }));
  const link = facts.find((fact) => fact.link)?.value;
  return {
    title: headline,
    ...(link !== undefined && { url: link }),
    ...(text !== "" && { description: shortened(text, TEXT_LIMIT) }),
    color: COLOURS[tone],
    fields,
    timestamp: new Date().toISOString(),
  };
}

/** Names and titles are shown as they are written, whatever Markdown would make of them. */
function escaped(text: string): string {
  return text.replace(/[\\*_~`|<>#[\]]/g, "\\$&");
}
