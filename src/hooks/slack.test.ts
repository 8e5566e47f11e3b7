import { describe, expect, it } from "vitest";
import { messengerHook, runOne } from "../../test/hooks.ts";
import { startReceiver } from "../../test/receiver.ts";
import { SLACK_TOKEN, startSlack } from "../../test/slack-server.ts";
import type { Message } from "./message.ts";

const env = { BOT_TOKEN: SLACK_TOKEN };
const channelId = "C1234567890";

describe("a message through the bot", () => {
  it("tells what became of the job", async () => {
    const { baseUrl, posted } = await startSlack();
    const message: Message = {
      tone: "good",
      title: "coder: completed",
      facts: [
        { label: "Agent", value: "coder" },
        { label: "Work item", value: "LIN-42: Fix <the> tests" },
        { label: "Pull request", value: "https://github.com/acme/shop/pull/7?a=1&b=2", link: true },
      ],
      text: "All tests pass.",
    };
    const run = await runOne(messengerHook("slack", baseUrl, { channelId }), { message, env });
    expect(run).toMatchObject({ kind: "slack", ok: true, output: "posted to C1234567890" });
    expect(posted).toEqual([
      {
        channel: channelId,
        text: "✅ coder: completed",
        blocks: [
          {
            type: "header",
            text: { type: "plain_text", text: "✅ coder: completed", emoji: true },
          },
          {
            type: "section",
            fields: [
              "*Agent*\ncoder",
              "*Work item*\nLIN-42: Fix &lt;the&gt; tests",
              "*Pull request*\n<https://github.com/acme/shop/pull/7?a=1&amp;b=2|github.com/acme/shop/pull/7?a=1&amp;b=2>",
            ].map((text) => ({ type: "mrkdwn", text, verbatim: true })),
          },
          { type: "section", text: { type: "plain_text", text: "All tests pass.", emoji: false } },
        ],
        unfurl_links: false,
        unfurl_media: false,
      },
    ]);
  });

  it.each([
    ["bad", "❌ coder: failed"],
    ["caution", "⏸️ coder: failed"],
    ["plain", "▶️ coder: failed"],
  ] as const)("has a sign for what is %s, and no block for a text that there is not", async (tone, text) => {
    const { baseUrl, posted } = await startSlack();
    const message: Message = {
      tone,
      title: "coder: failed",
      facts: [{ label: "Agent", value: "coder" }],
      text: "",
    };
    await runOne(messengerHook("slack", `${baseUrl}/`, { channelId }), { message, env });
    expect(posted[0]?.text).toBe(text);
    expect(posted[0]?.blocks).toHaveLength(2);
  });

  it("keeps to Slack's limits and markup, whatever an agent writes", async () => {
    const { baseUrl, posted } = await startSlack();
    const nasty = "<!channel> <@U1> <https://evil.example|ok> & 😀 ".repeat(2_000);
    const facts = ["Agent", "Branch", "Work item"].map((label) => ({ label, value: nasty }));
    const message: Message = { tone: "good", title: `${nasty}: completed`, facts, text: nasty };
    const run = await runOne(messengerHook("slack", baseUrl, { channelId }), { message, env });
    expect(run).toMatchObject({ ok: true });
    const shown = JSON.stringify(posted);
    expect(shown).not.toMatch(/[<>]/);
    expect(shown).not.toMatch(/&(?!amp;|lt;|gt;)/);
    expect(shown.isWellFormed()).toBe(true);
  });
});

describe("a message through an incoming webhook", () => {
  it("needs no token", async () => {
    const { webhookUrl, posted, received } = await startSlack();
    const run = await runOne(messengerHook("slack", "http://127.0.0.1:1024", { webhookUrl }));
    expect(run).toMatchObject({ ok: true, output: "posted to the webhook's channel" });
    expect(posted).toHaveLength(1);
    expect(received[0]?.headers).not.toHaveProperty("authorization");
  });

  it("says that the webhook is gone, without its address", async () => {
    const { url } = await startSlack();
    const webhookUrl = `${url}/services/T0/B0/aaaaaaaaaaaaaaaaaaaaaaaa`;
    const run = await runOne(messengerHook("slack", url, { webhookUrl }));
    expect(run).toMatchObject({
      ok: false,
      error:
        "Slack answered no_service: the webhook is no longer there; make a new one and correct webhook_url",
    });
  });
});

describe("what to do when Slack refuses", () => {
  it.each([
    [
      "C_ELSEWHERE",
      SLACK_TOKEN,
      "Slack answered not_in_channel: invite the bot into C_ELSEWHERE, with /invite in that channel",
    ],
    [
      "C0",
      SLACK_TOKEN,
      "Slack answered channel_not_found: check the channel_id C0; into a private channel, invite the bot first",
    ],
    [channelId, "xoxb-of-another", "Slack answered invalid_auth: check the token in BOT_TOKEN"],
  ])("in %s", async (channel, token, error) => {
    const { baseUrl } = await startSlack();
    const hook = messengerHook("slack", baseUrl, { channelId: channel });
    expect(await runOne(hook, { env: { BOT_TOKEN: token } })).toMatchObject({ ok: false, error });
  });

  it("for a missing scope and a missing token", async () => {
    const { baseUrl, received } = await startSlack({ missingScope: true });
    const hook = messengerHook("slack", baseUrl, { channelId });
    expect((await runOne(hook, { env })).error).toBe(
      "Slack answered missing_scope: give the app the scope chat:write, and install it again",
    );
    expect((await runOne(hook)).error).toBe(
      "BOT_TOKEN is not set. It must hold the bot's token, which begins with xoxb-.",
    );
    expect(received).toHaveLength(1);
  });

  it("waits as long as Slack asks for, when it was too many messages", async () => {
    const { baseUrl, posted } = await startSlack({ rateLimited: 1 });
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const hook = messengerHook("slack", baseUrl, { channelId, timeoutMs: 60_000 });
    expect(await runOne(hook, { env, sleep })).toMatchObject({ ok: true });
    expect(waits).toEqual([30_000]);
    expect(posted).toHaveLength(1);
  });

  it("gives up when Slack asks for more time than the hook has", async () => {
    const { baseUrl } = await startSlack({ rateLimited: 1 });
    const hook = messengerHook("slack", baseUrl, { channelId, timeoutMs: 10_000 });
    expect((await runOne(hook, { env })).error).toBe(
      "Slack answered ratelimited, and asks to wait 30 s: too many messages; narrow the hook with on_events",
    );
  });

  it("does not take an answer that is not Slack's for a success", async () => {
    const { url } = await startReceiver((_, response) => response.end("<html>Sign in to the Wi-Fi</html>"));
    const run = await runOne(messengerHook("slack", url, { channelId }), { env });
    expect(run).toMatchObject({
      ok: false,
      error: "Slack answered 200 with something that is not Slack's: is base_url right?",
    });
  });
});
