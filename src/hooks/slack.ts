import { z } from "zod";
import type { SlackHook } from "../config/hook-config.ts";
import { fromJson } from "../util/json.ts";
import { oneLine } from "../util/printable.ts";
import { version } from "../version.ts";
import { type HookCall, HookError, type HookOutcome } from "./hook-call.ts";
import { type Fact, type Message, shortened, type Tone } from "./message.ts";
import { post, posted, wayOf } from "./messenger.ts";
import { type Answer, asksToWait } from "./send.ts";

const API = "https://slack.com/api";
const HEADER_LIMIT = 150;
const FACT_LIMIT = 300;
/** Slack allows 3000 in a block; people do not read as much in a message. */
const TEXT_LIMIT = 2_000;

export async function runSlack(hook: SlackHook, call: HookCall): Promise<HookOutcome> {
  const content = contentOf(call.message);
  const tokenHint = ", which begins with xoxb-";
  const way = wayOf(hook, call, { api: API, apiVariable: "SLACK_API_URL", tokenHint });
  if ("webhookUrl" in way) {
    const answer = await post({ url: way.webhookUrl, content, headers: headers() }, undefined, hook, call);
    return answer.ok ? posted(way) : refused(answer, answer.text.trim(), hook);
  }
  const { base, channelId, token } = way;
  const message = { channel: channelId, ...content };
  const bot = { scheme: "Bearer", token };
  const url = `${base}/chat.postMessage`;
  const answer = await post({ url, content: message, headers: headers() }, bot, hook, call);
  const said = Said.safeParse(fromJson(answer.text));
  if (said.success && said.data.ok) return posted(way);
  if (!said.success && answer.ok) {
    throw new HookError(
      `Slack answered ${answer.status} with something that is not Slack's: is base_url right?`,
    );
  }
  return refused(answer, said.data?.error ?? "", hook, said.data?.response_metadata?.messages);
}

function headers() {
  return { "content-type": "application/json; charset=utf-8", "user-agent": `baton/${version()}` };
}

/** Every answer of the Web API says in its text whether it is a success; the status says 200 for both. */
const Said = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  response_metadata: z.object({ messages: z.array(z.string()).optional() }).optional(),
});

function refused(answer: Answer, code: string, hook: SlackHook, details: string[] = []): HookOutcome {
  const what = code === "" ? `answered ${answer.status}` : `answered ${code.slice(0, 200)}`;
  const wait = asksToWait(answer);
  const more = details.length === 0 ? "" : ` (${details.join("; ").slice(0, 300)})`;
  const todo = advice(code, hook);
  return { ok: false, output: "", error: `Slack ${what}${wait}${more}${todo === "" ? "" : `: ${todo}`}` };
}

function advice(code: string, { channelId, tokenEnv }: SlackHook): string {
  switch (code) {
    case "not_in_channel":
      return `invite the bot into ${channelId}, with /invite in that channel`;
    case "channel_not_found":
      return `check the channel_id ${channelId}; into a private channel, invite the bot first`;
    case "is_archived":
    case "channel_is_archived":
      return "the channel is archived; choose another one";
    case "invalid_auth":
    case "not_authed":
    case "token_revoked":
    case "token_expired":
    case "account_inactive":
      return `check the token in ${tokenEnv}`;
    case "missing_scope":
      return "give the app the scope chat:write, and install it again";
    case "ratelimited":
    case "rate_limited":
      return "too many messages; narrow the hook with on_events";
    case "no_service":
    case "no_team":
    case "invalid_token":
      return "the webhook is no longer there; make a new one and correct webhook_url";
    default:
      return "";
  }
}

const SIGNS: Record<Tone, string> = { good: "✅", bad: "❌", caution: "⏸️", plain: "▶️", quiet: "▶️" };

function contentOf({ tone, title, facts, text }: Message) {
  const headline = shortened(oneLine(`${SIGNS[tone]} ${title}`), HEADER_LIMIT, escaped);
  return {
    // What notifications show, and readers of screens hear.
    text: headline,
    blocks: [
      { type: "header", text: { type: "plain_text", text: headline, emoji: true } },
      { type: "section", fields: facts.map(field) },
      // Plain: what an agent wrote is not Slack's markup, and must not become a link or a mention.
      ...(text === ""
        ? []
        : [
            {
              type: "section",
              text: { type: "plain_text", text: shortened(text, TEXT_LIMIT, escaped), emoji: false },
            },
          ]),
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function field({ label, value, link }: Fact) {
  const shown = shortened(oneLine(value), FACT_LIMIT, escaped);
  const text = link
    ? `<${escaped(value).replaceAll("|", "%7C")}|${shown.replace(/^https?:\/\//, "")}>`
    : shown;
  return { type: "mrkdwn", text: `*${label}*\n${text}`, verbatim: true };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
