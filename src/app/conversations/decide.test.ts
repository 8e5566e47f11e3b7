import { describe, expect, it } from "vitest";
import type { ChatConfig, ChatServiceConfig } from "../../config/chat-config.ts";
import { parseConfig } from "../../config/layers/parse.ts";
import type { Place } from "../../connectors/connector.ts";
import { botsOf, type Speaker } from "./bots.ts";
import { addressed, commandIn, contextIn } from "./decide.ts";

const GUILD = "1048576123456789012";
const LISTED = "1048576123456789013";
const OTHER = "1048576123456789014";
const ADA = { id: "3000000000000000001", name: "Ada" };
const BOB = { id: "3000000000000000002", name: "Bob" };

function speaking(agent: string, discord: object): Speaker {
  const text = JSON.stringify({ agents: [{ name: agent, chat: { discord } }] });
  const { agents } = parseConfig(text, "/project/baton.yaml", "/home/someone", {});
  const chat = agents[0]?.chat as ChatConfig;
  return { project: "/project", agent, chat, service: chat.services[0] as ChatServiceConfig };
}

const inChannel = (channel: string) => ({
  ...{ key: `discord:${GUILD}:1`, channel, thread: "1", isDirect: false, guild: GUILD },
});
const alone = { key: "discord:dm:1", channel: "1", isDirect: true };

function answers(speakers: Speaker[], place: Place, by = ADA, isMention = false) {
  return addressed(speakers, { place, by, isMention }, undefined)?.agent;
}

describe("whom a message is for", () => {
  it("is who answers in that channel: where it is mentioned, or always", () => {
    const channels = [{ id: LISTED }, { id: OTHER, mode: "auto" }];
    const coder = speaking("coder", { guilds: [{ id: GUILD, channels }] });
    expect(answers([coder], inChannel(LISTED))).toBeUndefined();
    expect(answers([coder], inChannel(LISTED), ADA, true)).toBe("coder");
    expect(answers([coder], inChannel(OTHER))).toBe("coder");
    expect(answers([coder], inChannel("5"), ADA, true)).toBeUndefined();
    // In the thread of its conversation it needs no mention.
    const said = { place: inChannel(LISTED), by: ADA, isMention: false };
    expect(addressed([coder], said, { project: "/project", agent: "coder" })).toBe(coder);
  });

  it("is who names the channel before who answers in all of its server", () => {
    const everywhere = speaking("helper", { guilds: [{ id: GUILD, default_channel_mode: "auto" }] });
    const channels = [{ id: LISTED, context_messages: 3 }];
    const coder = speaking("coder", { guilds: [{ id: GUILD, channels }] });
    const both = [everywhere, coder];
    expect(answers(both, inChannel(LISTED), ADA, true)).toBe("coder");
    expect(answers(both, inChannel(LISTED))).toBeUndefined();
    expect(answers(both, inChannel(OTHER))).toBe("helper");
    expect(answers(both, { ...inChannel(OTHER), guild: "7" })).toBeUndefined();
    expect([contextIn(coder, inChannel(LISTED)), contextIn(everywhere, inChannel(OTHER))]).toEqual([3, 10]);
    expect(contextIn(coder, alone)).toBe(0);
  });

  it("is, of direct messages, the first who takes them from this person", () => {
    const picky = speaking("picky", { dm: { allowlist: [BOB.id, ADA.id], blocklist: [ADA.id] } });
    const shy = speaking("shy", { dm: { enabled: false } });
    const quiet = speaking("quiet", { dm: { mode: "mention" } });
    expect(answers([shy, picky], alone, BOB)).toBe("picky");
    expect(answers([shy, picky], alone, ADA)).toBeUndefined();
    expect(answers([shy, picky, quiet], alone, ADA)).toBeUndefined();
    expect(answers([shy, picky, quiet], alone, ADA, true)).toBe("quiet");
  });
});

it("takes a command for one only where nothing else can be meant", () => {
  expect(commandIn("!handoff the tests", false)).toEqual({ name: "handoff", text: "the tests" });
  expect(commandIn("status", true)).toEqual({ name: "status", text: "" });
  for (const [text, isMention] of [
    ["status", false],
    ["stop the server", true],
    ["follow", true],
    ["!unknown", true],
    ["skill deploy", true],
  ] as const)
    expect(commandIn(text, isMention)).toBeUndefined();
});

it("has one connection for an app of Slack, whatever its agents call its tokens", () => {
  const agents = [
    { name: "coder", chat: { slack: {} } },
    { name: "helper", chat: { slack: { bot_token_env: "SAME_BOT", app_token_env: "SAME_APP" } } },
    { name: "other", chat: { slack: { bot_token_env: "OTHER_BOT" } } },
  ];
  const config = parseConfig(JSON.stringify({ agents }), "/project/baton.yaml", "/home/someone", {});
  const [SLACK_BOT_TOKEN, SLACK_APP_TOKEN] = ["xoxb-1", "xapp-1"];
  const same = { SAME_BOT: SLACK_BOT_TOKEN, SAME_APP: SLACK_APP_TOKEN };
  const env = { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, ...same, OTHER_BOT: "xoxb-2" };
  const { bots, unreachable } = botsOf([{ project: { root: "/project" }, config }], env);
  expect(bots.map(({ speakers }) => speakers.map(({ agent }) => agent))).toEqual([["coder", "helper"]]);
  expect(unreachable).toEqual([
    {
      project: "/project",
      why: expect.stringContaining(
        "SLACK_APP_TOKEN has the app token that coder and helper use with another",
      ),
    },
  ]);
});
