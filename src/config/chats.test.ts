import { expect, it } from "vitest";
import { ConfigError } from "./error.ts";
import { parseConfig } from "./layers/parse.ts";

const parsed = (agents: object[]) =>
  parseConfig(JSON.stringify({ agents }, null, 1), "/project/baton.yaml", "/home/someone", {});

const chatOf = (chat: object) => parsed([{ name: "coder", chat: { fake: true, ...chat } }]).agents[0]?.chat;

function refusal(...agents: object[]): string {
  try {
    parsed(agents);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("it was not refused");
}

const GUILD = "1048576123456789012";
const ROOM = "1048576123456789013";

it("reads what herdctl's users have written, with what holds without it", () => {
  const slack = {
    channels: [{ id: "C0123456789", name: "dev", mode: "auto", context_messages: 3 }, { id: "C0123456780" }],
  };
  expect(chatOf({ slack })?.services).toMatchObject([
    {
      service: "slack",
      tokenEnv: "SLACK_BOT_TOKEN",
      appTokenEnv: "SLACK_APP_TOKEN",
      sessionExpiryMs: 24 * 3_600_000,
      channels: [
        { id: "C0123456789", name: "dev", mode: "auto", contextMessages: 3 },
        { id: "C0123456780", mode: "mention", contextMessages: 10 },
      ],
      dm: { enabled: true, mode: "auto", blocklist: [] },
      output: { toolResultMaxLength: 900, assistantMessages: "all", acknowledgeEmoji: "👀" },
      attachments: { enabled: false, maxBytes: 10_000_000, maxFiles: 5 },
    },
  ]);
  const discord = {
    guilds: [{ id: GUILD, channels: [{ id: ROOM }], default_channel_mode: "auto" }],
    skills: [{ name: "deploy", description: "Puts it on the test server." }],
    output: { acknowledge_emoji: "" },
  };
  expect(chatOf({ discord })?.services).toMatchObject([
    {
      service: "discord",
      channels: [{ id: ROOM, guild: GUILD }],
      guilds: [{ id: GUILD, mode: "auto" }],
      skills: [{ name: "deploy", description: "Puts it on the test server." }],
      output: { assistantMessages: "answers", acknowledgeEmoji: "" },
    },
  ]);
});

it("lets a terminal stand for a service, with a channel of its own where there is none", () => {
  expect(chatOf({})?.services).toMatchObject([
    { service: "terminal", channels: [{ id: "terminal", mode: "auto" }] },
  ]);
});

it("refuses two answers to one channel, by the line", () => {
  const slack = { channels: [{ id: "C0123456789" }] };
  const both = refusal(
    { name: "one", chat: { fake: true, slack } },
    {
      name: "two",
      chat: { fake: true, slack: { channels: [{ id: "C9876543210" }, { id: "C0123456789" }] } },
    },
  );
  expect(both).toMatch(
    /baton\.yaml:26:\d+ {2}the channel C0123456789 is answered by "one" already, with the same token/,
  );
  expect(
    refusal({
      name: "one",
      chat: { fake: true, slack: { channels: [...slack.channels, ...slack.channels] } },
    }),
  ).toContain("the channel C0123456789 is answered twice");
  const other = { fake: true, slack: { ...slack, bot_token_env: "OTHER_TOKEN" } };
  expect(
    parsed([
      { name: "one", chat: { fake: true, slack } },
      { name: "two", chat: other },
    ]).agents,
  ).toHaveLength(2);
});

it.each([
  [{ discord: { voice: { enabled: true } } }, "Baton hears no voice messages"],
  [{ slack: { output: { typing_indicator: true } } }, "in Slack, nobody sees a bot typing"],
  [{ discord: { guilds: [{ id: GUILD, dm: {} }] } }, "direct messages belong to no server"],
  [{ discord: { guilds: [{ id: 1048576123456789 }] } }, 'for example: id: "1048576123456789"'],
  [
    { discord: { command_registration: { scope: "guild" } } },
    'command_registration of agent "coder" names no server',
  ],
  [{ slack: { channels: [{ id: "#dev" }] } }, "must be the id of a channel"],
  [{ slack: { bot_token_env: "xoxb-1-secret" } }, "must be the name of an environment variable"],
  [{ slack: { attachments: { download_dir: "../elsewhere" } } }, "must be a folder below"],
  [{ approvers: ["Ada Lovelace"] }, "must be the id of a person"],
  [{ steer: "now" }, "must be boundary, turn or end"],
])("refuses %j", (chat, why) => {
  const said = refusal({ name: "coder", chat: { fake: true, ...chat } });
  expect(said).toContain(why);
  expect(said).not.toContain("xoxb-1-secret");
});

it("refuses a schedule that nobody would hear, and takes one that somebody does", () => {
  const schedules = (channel: string) => ({
    daily: { type: "chat", cron: "0 9 * * *", prompt: "Report.", channel },
  });
  const chat = { fake: true, slack: { channels: [{ id: "C0123456789" }] } };
  expect(refusal({ name: "coder", schedules: schedules("C0123456789") })).toContain("its agent has no chat");
  expect(refusal({ name: "coder", chat, schedules: schedules("C1") })).toContain(
    "its agent has no such channel",
  );
  const untold = { daily: { cron: "0 9 * * *", prompt: "Report.", channel: "C0123456789" } };
  expect(refusal({ name: "coder", chat, schedules: untold })).toContain("daily.channel needs type: chat");
  const [agent] = parsed([{ name: "coder", chat, schedules: schedules("C0123456789") }]).agents;
  expect(agent?.schedules).toMatchObject([{ channel: "C0123456789", times: { kind: "cron" } }]);
});
