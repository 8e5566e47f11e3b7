import { describe, expect, it } from "vitest";
import { DISCORD_TOKEN, startDiscord } from "../../test/discord-server.ts";
import { finishedJob, messengerHook, runOne } from "../../test/hooks.ts";
import { handoffPayload, sessionStartPayload } from "./payload.ts";

const env = { BOT_TOKEN: DISCORD_TOKEN };
const channelId = "1234567890123456789";

describe("a message through the bot", () => {
  it("tells what became of the job", async () => {
    const { baseUrl, posted } = await startDiscord();
    const payload = finishedJob({
      branch: "agent/coder/lin_42_x",
      pullRequest: "https://github.com/acme/shop/pull/7",
    });
    const run = await runOne(messengerHook("discord", baseUrl, { channelId }), { payload, env });
    expect(run).toMatchObject({ kind: "discord", ok: true, output: `posted to ${channelId}` });
    expect(posted).toMatchObject([
      {
        embeds: [
          {
            title: "coder has completed its job",
            url: "https://github.com/acme/shop/pull/7",
            description: "All tests pass.",
            color: 0x2ea043,
            fields: [
              { name: "Agent", value: "coder", inline: true },
              { name: "Job", value: "job-2026-02-16-abc123" },
              { name: "Outcome", value: "completed" },
              { name: "Duration", value: "1 h 20 min" },
              { name: "Cost", value: "$1.24" },
              { name: "Handoffs", value: "2" },
              { name: "Branch", value: "agent/coder/lin\\_42\\_x" },
              { name: "Pull request", value: "https://github.com/acme/shop/pull/7", inline: false },
            ],
          },
        ],
        allowed_mentions: { parse: [] },
      },
    ]);
  });

  it("tells of handoffs and of sessions that begin", async () => {
    const { baseUrl, posted } = await startDiscord();
    const session = { sessionId: "s", agent: "coder", jobId: "job-1", root: "/tmp" };
    const hook = messengerHook("discord", baseUrl, { channelId });
    const handoff = { number: 2, trigger: "threshold", outcome: "checked", documentPath: "/tmp/2.md" };
    await runOne(hook, { payload: handoffPayload({ handoff, session }), env, event: "handoff" });
    const continues = { handoff: 2, previousSessionId: "s" };
    const start = sessionStartPayload({ session, prompt: "Go on.", continues });
    await runOne(hook, { payload: start, env, event: "session_start" });
    expect(posted.map(({ embeds }) => embeds[0]?.title)).toEqual([
      "coder hands its work on (handoff 2)",
      "coder goes on after handoff 2",
    ]);
  });

  it("keeps to Discord's limits, whatever an agent writes", async () => {
    const { baseUrl, posted } = await startDiscord();
    const long = "@everyone **x** [a](https://evil.example) 😀 ".repeat(2_000);
    const payload = finishedJob(
      { agent: long, branch: long, pullRequest: long, workItem: { id: long, title: long } },
      long,
      long,
    );
    const run = await runOne(messengerHook("discord", baseUrl, { channelId }), { payload, env });
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

  it("shows an address that is too long for a link as text", async () => {
    const { baseUrl, posted } = await startDiscord();
    const payload = finishedJob({ pullRequest: `https://example.com/${"a".repeat(5_000)}` });
    const run = await runOne(messengerHook("discord", baseUrl, { channelId }), { payload, env });
    expect(run).toMatchObject({ ok: true });
    expect(JSON.stringify(posted)).toContain("aaa…");
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
