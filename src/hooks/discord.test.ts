import { describe, expect, it } from "vitest";
import { DISCORD_TOKEN, startDiscord } from "../../test/discord-server.ts";
import { messengerHook, runOne } from "../../test/hooks.ts";
import type { Message } from "./message.ts";

const env = { BOT_TOKEN: DISCORD_TOKEN };
const channelId = "1234567890123456789";

describe("a message through the bot", () => {
  it("tells what became of the job", async () => {
    const { baseUrl, posted } = await startDiscord();
    const message: Message = {
      tone: "good",
      title: "coder: completed",
      facts: [
        { label: "Agent", value: "coder" },
        { label: "Branch", value: "agent/coder/lin_42_x" },
        { label: "Pull request", value: "https://github.com/acme/shop/pull/7", link: true },
      ],
      text: "All tests pass.",
    };
    const run = await runOne(messengerHook("discord", baseUrl, { channelId }), { message, env });
    expect(run).toMatchObject({ kind: "discord", ok: true, output: `posted to ${channelId}` });
    expect(posted).toMatchObject([
      {
        embeds: [
          {
            title: "coder: completed",
            url: "https://github.com/acme/shop/pull/7",
            description: "All tests pass.",
            color: 0x2ea043,
            fields: [
              { name: "Agent", value: "coder", inline: true },
              { name: "Branch", value: "agent/coder/lin\\_42\\_x" },
              { name: "Pull request", value: "https://github.com/acme/shop/pull/7", inline: false },
            ],
          },
        ],
        allowed_mentions: { parse: [] },
      },
    ]);
  });

  it.each([
    ["bad", 0xda3633],
    ["caution", 0xd29922],
    ["plain", 0x388bfd],
  ] as const)("has a colour for what is %s, and says nothing where there is no text", async (tone, color) => {
    const { baseUrl, posted } = await startDiscord();
    const message: Message = {
      tone,
      title: "coder: handoff 2",
      facts: [{ label: "Agent", value: "coder" }],
      text: "",
    };
    await runOne(messengerHook("discord", baseUrl, { channelId }), { message, env });
    expect(posted[0]?.embeds[0]).toMatchObject({ title: "coder: handoff 2", color });
    expect(posted[0]?.embeds[0]).not.toHaveProperty("description");
  });

  it("keeps to Discord's limits, whatever an agent writes", async () => {
    const { baseUrl, posted } = await startDiscord();
    const long = "@everyone **x** [a](https://evil.example) 😀 ".repeat(2_000);
    const facts = ["Agent", "Branch", "Work item"].map((label) => ({ label, value: long }));
    const message: Message = { tone: "bad", title: `${long}: failed`, facts, text: long };
    const run = await runOne(messengerHook("discord", baseUrl, { channelId }), { message, env });
    expect(run).toMatchObject({ ok: true });
    expect(posted[0]?.allowed_mentions).toEqual({ parse: [] });
    expect(JSON.stringify(posted).isWellFormed()).toBe(true);
  });

  it("is sent once, also when the answer to the first attempt was lost", async () => {
    const { baseUrl, posted, received } = await startDiscord({ losing: 1 });
    const run = await runOne(messengerHook("discord", baseUrl, { channelId }), { env });
    expect(run).toMatchObject({ ok: true });
    expect(received).toHaveLength(2);
    expect(posted).toHaveLength(1);
  });
});

describe("a message through a webhook", () => {
  it("needs no token, and waits until it is posted", async () => {
    const { webhookUrl, posted, received } = await startDiscord();
    const run = await runOne(messengerHook("discord", "http://127.0.0.1:1024", { webhookUrl }));
    expect(run).toMatchObject({ ok: true, output: "posted to the webhook's channel" });
    expect(posted).toHaveLength(1);
    expect(received[0]?.headers).not.toHaveProperty("authorization");
  });

  it("says that the webhook is gone", async () => {
    const { url } = await startDiscord();
    const webhookUrl = `${url}/api/webhooks/1/aaaaaaaaaaaaaaaaaaaaaaaa`;
    expect((await runOne(messengerHook("discord", url, { webhookUrl }))).error).toBe(
      "Discord answered 404 (Unknown Webhook, code 10015): the webhook is no longer there; " +
        "make a new one and correct webhook_url",
    );
  });
});

describe("what to do when Discord refuses", () => {
  it.each([
    ["3", DISCORD_TOKEN, "Discord answered 404 (Unknown Channel, code 10003): check the channel_id 3"],
    [
      "1",
      DISCORD_TOKEN,
      "Discord answered 403 (Missing Access, code 50001): invite the bot to the server and let it see the channel 1",
    ],
    [
      "2",
      DISCORD_TOKEN,
      "Discord answered 403 (Missing Permissions, code 50013): allow the bot to send messages and embed links in the channel 2",
    ],
    [
      "../users/@me",
      DISCORD_TOKEN,
      "Discord answered 404 (Unknown Channel, code 10003): check the channel_id ../users/@me",
    ],
    [
      channelId,
      "of-another-bot",
      "Discord answered 401 (401: Unauthorized, code 0): check the token in BOT_TOKEN",
    ],
  ])("in %s", async (channel, token, error) => {
    const { baseUrl } = await startDiscord();
    const hook = messengerHook("discord", baseUrl, { channelId: channel });
    expect(await runOne(hook, { env: { BOT_TOKEN: token } })).toMatchObject({ ok: false, error });
  });

  it("waits exactly as long as Discord asks for, when it was too many messages", async () => {
    const { baseUrl, posted } = await startDiscord({ rateLimited: 2 });
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    expect(await runOne(messengerHook("discord", baseUrl, { channelId }), { env, sleep })).toMatchObject({
      ok: true,
    });
    expect(waits).toEqual([570, 570]);
    expect(posted).toHaveLength(1);
  });

  it("gives up after too many", async () => {
    const { baseUrl } = await startDiscord({ rateLimited: 9 });
    expect((await runOne(messengerHook("discord", baseUrl, { channelId }), { env })).error).toBe(
      "Discord answered 429, and asks to wait 1 s: too many messages; narrow the hook with on_events",
    );
  });
});
