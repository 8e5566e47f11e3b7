import type { ServerResponse } from "node:http";
import { z } from "zod";
import { answerJson, type Received, type Receiver, startReceiver } from "./receiver.ts";

const Embed = z
  .strictObject({
    title: z.string().min(1).max(256),
    url: z.url().max(2048).optional(),
    description: z.string().min(1).max(4096).optional(),
    color: z.int().min(0).max(0xffffff),
    fields: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(256),
          value: z.string().min(1).max(1024),
          inline: z.boolean().optional(),
        }),
      )
      .max(25),
    timestamp: z.iso.datetime(),
    footer: z.strictObject({ text: z.string().max(2048) }).optional(),
  })
  .refine(({ title, description = "", fields, footer }) => {
    const parts = [
      title,
      description,
      footer?.text ?? "",
      ...fields.flatMap(({ name, value }) => [name, value]),
    ];
    return parts.join("").length <= 6000;
  }, "Embed size exceeds maximum size of 6000");

const Message = z.strictObject({
  embeds: z.array(Embed).min(1).max(10),
  allowed_mentions: z.strictObject({ parse: z.array(z.enum(["roles", "users", "everyone"])) }),
  nonce: z.string().max(25).optional(),
  enforce_nonce: z.boolean().optional(),
});

type DiscordMessage = z.infer<typeof Message>;

interface DiscordServer extends Receiver {
  baseUrl: string;
  webhookUrl: string;
  posted: DiscordMessage[];
}

export const DISCORD_TOKEN = "not-a-real-token-of-a-bot";
const CHANNEL = "1234567890123456789";
const WEBHOOK = "/api/webhooks/223704706495545344/not-a-real-token-of-a-webhook";

/**
 * Checks requests as Discord's «Create Message» and «Execute Webhook» do. `rateLimited`, `losing`: so many at first
 * are refused, or taken without an answer.
 */
export async function startDiscord(options: { rateLimited?: number; losing?: number } = {}) {
  const posted: DiscordMessage[] = [];

  function createMessage(request: Received, response: ServerResponse, attempt: number) {
    const refuse = (status: number, code: number, message: string) =>
      answerJson(response, status, { message, code });
    if (request.headers.authorization !== `Bot ${DISCORD_TOKEN}`) return refuse(401, 0, "401: Unauthorized");
    if (!/^DiscordBot \(\S+, [\d.]+\)$/.test(request.headers["user-agent"] ?? "")) {
      return refuse(403, 40333, "internal network error");
    }
    if (request.path === "/api/v10/channels/1/messages") return refuse(403, 50001, "Missing Access");
    if (request.path === "/api/v10/channels/2/messages") return refuse(403, 50013, "Missing Permissions");
    if (request.path !== `/api/v10/channels/${CHANNEL}/messages`)
      return refuse(404, 10003, "Unknown Channel");
    take(request, response, attempt);
  }

  function take(request: Received, response: ServerResponse, attempt: number) {
    if (request.method !== "POST")
      return answerJson(response, 405, { message: "405: Method Not Allowed", code: 0 });
    if (request.headers["content-type"] !== "application/json") {
      return answerJson(response, 400, { message: "Cannot send an empty message", code: 50006 });
    }
    const message = Message.safeParse(JSON.parse(request.body));
    if (!message.success) {
      const errors = {
        embeds: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: message.error.message }] },
      };
      return answerJson(response, 400, { message: "Invalid Form Body", code: 50035, errors });
    }
    const { nonce, enforce_nonce: once } = message.data;
    const known = once && posted.some((earlier) => earlier.nonce === nonce);
    if (!known) posted.push(message.data);
    if (attempt <= (options.losing ?? 0)) response.destroy();
    else answerJson(response, 200, { id: "1", channel_id: CHANNEL, ...message.data });
  }

  const receiver = await startReceiver((request, response, attempt) => {
    if (attempt <= (options.rateLimited ?? 0)) {
      const body = { message: "You are being rate limited.", retry_after: 0.57, global: false };
      answerJson(response, 429, body, { "retry-after": "1", "x-ratelimit-scope": "user" });
    } else if (request.path.startsWith("/api/v10/")) createMessage(request, response, attempt);
    else if (request.path === `${WEBHOOK}?wait=true`) take(request, response, attempt);
    else answerJson(response, 404, { message: "Unknown Webhook", code: 10015 });
  });
  const { url } = receiver;
  const server: DiscordServer = { ...receiver, posted, baseUrl: `${url}/api/v10`, webhookUrl: url + WEBHOOK };
  return server;
}
