import type { ServerResponse } from "node:http";
import { z } from "zod";
import { answerJson, type Received, type Receiver, startReceiver } from "./receiver.ts";

const common = { emoji: z.boolean().optional(), verbatim: z.boolean().optional() };
const text = (most: number) =>
  z.object({ type: z.enum(["plain_text", "mrkdwn"]), text: z.string().min(1).max(most), ...common });
const heading = z.object({ type: z.literal("plain_text"), text: z.string().min(1).max(150), ...common });

const Block = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("header"), text: heading }),
  z
    .strictObject({
      type: z.literal("section"),
      text: text(3000).optional(),
      fields: z.array(text(2000)).min(1).max(10).optional(),
    })
    .refine((block) => block.text !== undefined || block.fields !== undefined),
]);

const Message = z.object({
  channel: z.string().optional(),
  text: z.string().max(40_000),
  blocks: z.array(Block).max(50),
  unfurl_links: z.boolean().optional(),
  unfurl_media: z.boolean().optional(),
});

type SlackMessage = z.infer<typeof Message>;

interface SlackServer extends Receiver {
  baseUrl: string;
  webhookUrl: string;
  posted: SlackMessage[];
}

export const SLACK_TOKEN = "xoxb-not-a-real-token";
const WEBHOOK = "/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX";

/** Checks requests as Slack's `chat.postMessage` and its incoming webhooks do. `rateLimited`: so many at first. */
export async function startSlack(options: { rateLimited?: number; missingScope?: boolean } = {}) {
  const posted: SlackMessage[] = [];

  function postMessage(request: Received, response: ServerResponse) {
    const refuse = (error: string, more: object = {}) =>
      answerJson(response, 200, { ok: false, error, ...more });
    if (request.method !== "POST") return refuse("invalid_post_type");
    if (request.headers.authorization === undefined) return refuse("not_authed");
    if (request.headers.authorization !== `Bearer ${SLACK_TOKEN}`) return refuse("invalid_auth");
    if (!/^application\/json; ?charset=utf-8$/.test(request.headers["content-type"] ?? "")) {
      return refuse("missing_charset");
    }
    if (options.missingScope) return refuse("missing_scope", { needed: "chat:write", provided: "chat:read" });
    const message = Message.safeParse(JSON.parse(request.body));
    if (!message.success) {
      return refuse("invalid_blocks", {
        response_metadata: { messages: [`[ERROR] ${message.error.message}`] },
      });
    }
    const { channel } = message.data;
    if (channel === "C_ELSEWHERE") return refuse("not_in_channel");
    if (channel !== "C1234567890") return refuse("channel_not_found");
    posted.push(message.data);
    answerJson(response, 200, { ok: true, channel, ts: "1503435956.000247", message: {} });
  }

  function webhook(request: Received, response: ServerResponse) {
    const refuse = (status: number, error: string) => response.writeHead(status).end(error);
    if (request.path !== WEBHOOK) return refuse(404, "no_service");
    if (request.method !== "POST") return refuse(400, "http_method_not_allowed");
    const message = Message.safeParse(JSON.parse(request.body));
    if (!message.success) return refuse(400, "invalid_blocks");
    posted.push(message.data);
    response.writeHead(200, { "content-type": "text/html" }).end("ok");
  }

  const receiver = await startReceiver((request, response, attempt) => {
    if (attempt <= (options.rateLimited ?? 0)) {
      answerJson(response, 429, { ok: false, error: "ratelimited" }, { "retry-after": "30" });
    } else if (request.path === "/api/chat.postMessage") postMessage(request, response);
    else if (request.path.startsWith("/services/")) webhook(request, response);
    else response.writeHead(404).end();
  });
  const { url } = receiver;
  const server: SlackServer = { ...receiver, posted, baseUrl: `${url}/api`, webhookUrl: url + WEBHOOK };
  return server;
}
