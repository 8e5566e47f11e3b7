import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectTo } from "../src/app/conversations/connect.ts";
import { chatFindings } from "../src/app/conversations/doctor.ts";
import { lookIntoStore } from "../src/app/project.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { eventsOfType } from "../src/store/events.ts";
import { configAt } from "./agree.ts";
import { ASKS, bash, isThere, making } from "./asking.ts";
import { heldHandoff, talkative } from "./chat.ts";
import { jobsIn } from "./fleet-jobs.ts";
import { inSmallWindows, type ProjectOptions, shown, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";
import { BOT_USER, markdownIn, type StoredMessage } from "./slack/workspace.ts";
import { APP_TOKEN, BOT_TOKEN, type SlackService, startSlackService } from "./slack-service.ts";
import { startTalking } from "./talks.ts";

const CHANNEL = "C0123456789";
const OTHER_CHANNEL = "C0123456780";

/** A fleet that talks in one channel of a Slack of its own, through the connector that users get. */
async function talkingInSlack({
  agent = "",
  chat: more = "",
  keys = "",
  env: variables = {},
  ...options
}: Partial<ProjectOptions> & { chat?: string; keys?: string } = {}) {
  const slack = await startSlackService();
  for (const id of [CHANNEL, OTHER_CHANNEL]) slack.workspace.channel(id, "channel");
  const env = { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_APP_TOKEN: APP_TOKEN, SLACK_API_URL: slack.apiUrl };
  const chat = `chat: { slack: { channels: [{ id: ${CHANNEL} }]${keys && `, ${keys}`} }${more && `, ${more}`} }`;
  const project = await testProject({
    scenario: talkative(),
    agent: `${chat}
${agent}`,
    env: { ...env, ...variables },
    ...options,
  });
  const connect = (bot: Parameters<typeof connectTo>[0]) => connectTo(bot, { env, tell: () => {} });
  const fleet = await startTalking(project, { connect });
  await slack.when(() => slack.sockets.size === 1);
  return { slack, project, fleet };
}

/** What the bot has said in a thread, in the order of its messages. */
function saidIn(slack: SlackService, { ts }: Pick<StoredMessage, "ts">): string[] {
  return slack.said(CHANNEL).flatMap((message) => (message.thread_ts === ts ? [markdownIn(message)] : []));
}

async function threeWindows(): Promise<void> {
  const { slack, project } = await talkingInSlack({
    scenario: inSmallWindows(14),
    // Half of it holds what Claude Code and a handoff bring along.
    agent: "session: { context_threshold: 70000 }",
  });
  const asked = slack.say(CHANNEL, `<@${BOT_USER}> do all of it`);
  await slack.when(() => saidIn(slack, asked).some((text) => text.includes("All 14 steps are done.")));
  const job = await shown(project);
  expect(job.sessions.length).toBeGreaterThanOrEqual(3);
  expect(asked.reactions).toEqual(["eyes"]);
  const handoffs = saidIn(slack, asked).filter((text) => text.includes("fresh session continues"));
  expect(handoffs).toHaveLength(job.sessions.length - 1);
  // What tools did is one message.
  expect(saidIn(slack, asked).filter((text) => /^✓ \d+ steps, \d+ s$/.test(text))).toHaveLength(1);
  // Everything was said in the thread, each answer once.
  expect(slack.said(CHANNEL).filter(({ thread_ts }) => thread_ts !== asked.ts)).toEqual([]);
  const answers = saidIn(slack, asked).filter((text) => text.includes("All 14 steps are done."));
  expect(answers).toHaveLength(1);
  expect(slack.workspace.pinged).toEqual([]);
  await slack.when(() => slack.sockets.deliveries.every(({ isAcked }) => isAcked));
}

describe("a mention in Slack", () => {
  it("is answered in its thread, over three windows", threeWindows);

  it("is answered so by Claude Code", { tags: ["claude"] }, threeWindows);
});

it("is Claude Code in every thread: two at once, a file, a message in the middle of a handoff, a stop", {
  tags: ["claude"],
}, async () => {
  const { rule, letGo } = heldHandoff();
  const { slack, project } = await talkingInSlack({
    agent: "instances: { max_concurrent: 2 }",
    keys: "attachments: { enabled: true }",
    scenario: talkative(
      rule,
      {
        when: ({ kind, last }) => kind === "main" && last.includes("look at this"),
        reply: { call: bash("cat .chat-attachments/*/1-notes.txt") },
        times: 1,
      },
      {
        when: ({ last }) => last.endsWith("for ever"),
        reply: { call: bash("touch runs; tail -f /dev/null") },
        times: 1,
      },
      // Of a turn that was broken off, something may stand before what is asked next.
      { when: ({ last }) => last.includes("ask-then"), reply: { say: "The answer to ask-then is yes." } },
    ),
  });
  const said = (thread: StoredMessage, words: string) =>
    slack.when(() => saidIn(slack, thread).some((text) => text.includes(words)));
  const one = slack.say(CHANNEL, `<@${BOT_USER}> ask-one`);
  const files = [{ name: "notes.txt", type: "text/plain", content: "The shed is to be red." }];
  const two = slack.say(CHANNEL, `<@${BOT_USER}> look at this`, { user: "U2", files });
  await Promise.all([said(one, "The answer to ask-one is yes."), said(two, "Done as told.")]);
  const read = project.simulator.requests.flatMap(({ request }) => request.results.map(({ text }) => text));
  expect(read).toContainEqual(expect.stringContaining("The shed is to be red."));

  const requested = project.simulator.waitFor(({ request }) => isHandoffRequest(request));
  slack.say(CHANNEL, "!handoff", { thread: one.ts });
  await requested;
  slack.say(CHANNEL, "ask-meanwhile", { thread: one.ts, user: "U2" });
  slack.say(CHANNEL, "run for ever", { thread: two.ts });
  await slack.when(
    () => isThere(project, "runs") && slack.sockets.deliveries.every(({ isAcked }) => isAcked),
  );
  slack.stop(CHANNEL, two.ts);
  letGo();
  await Promise.all([said(one, "The answer to ask-meanwhile is yes."), said(two, "Stopped.")]);
  slack.say(CHANNEL, "ask-then", { thread: two.ts });
  await said(two, "The answer to ask-then is yes.");
  for (const words of ["ask-one is yes", "fresh session continues (handoff 1)", "ask-meanwhile is yes"])
    expect(saidIn(slack, one).filter((text) => text.includes(words))).toHaveLength(1);
  expect(saidIn(slack, two).filter((text) => text.includes("ask-then is yes"))).toHaveLength(1);
});

it("answers two threads at once, and each next message in its own; two agents over one connection", async () => {
  const { slack, project } = await talkingInSlack({
    others: [
      [
        "name: helper",
        "model: claude-sonnet-4-5",
        `chat: { slack: { channels: [{ id: ${OTHER_CHANNEL}, mode: auto }] } }`,
      ],
    ],
  });
  const [one, two] = [
    slack.say(CHANNEL, `<@${BOT_USER}> ask-one`),
    slack.say(CHANNEL, `<@${BOT_USER}> ask-two`, { user: "U2" }),
  ];
  const answered = (thread: StoredMessage, word: string) =>
    slack.when(() =>
      saidIn(slack, thread).some((text) => text.includes(`The answer to ask-${word} is yes.`)),
    );
  const other = slack.say(OTHER_CHANNEL, "ask-helper");
  const direct = slack.say("D1", "ask-direct");
  const heardIn = (channel: string, { ts }: StoredMessage) =>
    slack
      .said(channel)
      .filter(({ thread_ts }) => thread_ts === ts)
      .map(markdownIn);
  await Promise.all([
    answered(one, "one"),
    answered(two, "two"),
    slack.when(() => heardIn(OTHER_CHANNEL, other).includes("The answer to ask-helper is yes.")),
    slack.when(() => heardIn("D1", direct).includes("The answer to ask-direct is yes.")),
  ]);
  expect(slack.sockets.greeted).toBe(1);
  const jobs = await jobsIn(project);
  expect(jobs.map(({ agent, prompt }) => `${agent}: ${prompt}`).toSorted()).toEqual([
    "coder: Ada Byron: ask-one",
    "coder: Grace Hopper: ask-two",
    "coder: ask-direct",
    "helper: Ada Byron: ask-helper",
  ]);
  slack.sockets.drop();
  await slack.when(() => slack.sockets.greeted === 2);
  slack.say(CHANNEL, "ask-three", { thread: one.ts });
  await answered(one, "three");
  expect(saidIn(slack, two).join("\n")).not.toContain("ask-three");
  slack.command("/baton", "do as I told you", CHANNEL);
  const inChannel = () =>
    slack
      .said(CHANNEL)
      .filter(({ thread_ts }) => thread_ts === undefined)
      .map(markdownIn);
  await slack.when(() => inChannel().includes("Done as told."));
  slack.command("/baton", "status", CHANNEL);
  await slack.when(() => slack.answers.some(({ blocks }) => JSON.stringify(blocks).includes("Session 1")));
});

const PARAGRAPH = "word ".repeat(11).trim();
/** With a code block in it. */
const LONG_ANSWER = [
  ...Array.from({ length: 500 }, (_, index) => `${index} ${PARAGRAPH}`),
  "```sh",
  ...Array.from({ length: 500 }, (_, index) => `echo ${index} ${PARAGRAPH}`),
  "```",
].join("\n");

it("gives an answer of 60,000 characters whole", async () => {
  expect(LONG_ANSWER.length).toBeGreaterThan(60_000);
  const { slack, project } = await talkingInSlack({
    scenario: talkative({ when: ({ last }) => last.endsWith("all of it"), reply: { say: LONG_ANSWER } }),
  });
  const asked = slack.say(CHANNEL, `<@${BOT_USER}> all of it`);
  const attached = await slack.when(() =>
    [...slack.workspace.files.values()].find(({ shares }) => Object.keys(shares).length > 0),
  );
  expect(String(attached.content) === LONG_ANSWER).toBe(true);
  expect(saidIn(slack, asked)).toContainEqual(expect.stringContaining("all of it is attached"));
  // It is nowhere else any more, and the journal has the beginning and the end.
  await using store = await lookIntoStore({ root: project.folder });
  expect(await store.db.selectFrom("long_texts").selectAll().execute()).toEqual([]);
  const { id } = await shown(project);
  const [text] = await eventsOfType(store, id, "text");
  expect(text?.text).toContain("characters left out");
});

it("asks by buttons, and takes the answer of whom the configuration names, once", async () => {
  const { slack, project } = await talkingInSlack({
    scenario: making(bash("touch made")),
    agent: ASKS,
    chat: "approvers: [U2]",
  });
  const thread = slack.say(CHANNEL, `<@${BOT_USER}> write the file`);
  const question = await slack.when(() =>
    slack.said(CHANNEL).find(({ blocks }) => blocks?.[1]?.type === "actions"),
  );
  slack.press(question, "Allow once", "U1", CHANNEL);
  await slack.when(() =>
    saidIn(slack, thread).some((text) => text.includes("Ada Byron (U1) cannot answer this")),
  );
  expect(isThere(project, "made")).toBe(false);
  slack.press(question, "Allow once", "U2", CHANNEL);
  const shownTwice = { ...question };
  // What was decided, and by whom, stands where it was asked; nothing is left to press.
  await slack.when(() => question.blocks?.length === 1 && markdownIn(question).includes("Grace Hopper (U2)"));
  await slack.when(() => isThere(project, "made"));
  slack.press(shownTwice, "Deny", "U2", CHANNEL);
  await slack.when(() => saidIn(slack, thread).some((text) => text.includes("has already been answered")));
});

it("is looked at by doctor; a wrong token is the trouble of its own agent alone", async () => {
  const helper = [
    "name: helper",
    "model: claude-sonnet-4-5",
    `chat: { slack: { bot_token_env: OTHER_BOT, app_token_env: OTHER_APP, channels: [{ id: ${OTHER_CHANNEL} }] } }`,
  ];
  const { slack, project, fleet } = await talkingInSlack({
    others: [helper],
    env: { OTHER_BOT: "xoxb-wrong", OTHER_APP: "xapp-wrong" },
  });
  await eventually("it says so", async () =>
    fleet.news.some(
      (news) =>
        news.what === "problem" &&
        news.why.startsWith("Slack (helper): Slack does not accept the bot token (invalid_auth)."),
    ),
  );
  const asked = slack.say(CHANNEL, `<@${BOT_USER}> ask-one`);
  await slack.when(() => saidIn(slack, asked).some((text) => text.includes("ask-one is yes")));
  const config = configAt(join(project.folder, "baton.yaml"));
  const findings = await chatFindings({ root: project.folder }, config, project.env);
  expect(findings).toMatchObject([
    { name: "Slack", state: "ok", found: "it can talk (coder)" },
    {
      name: "Slack",
      state: "fail",
      found: "helper: Slack does not accept the bot token (invalid_auth).",
      fix: expect.stringContaining("Copy the token again"),
    },
    {
      name: "Slack",
      state: "fail",
      found: "helper: Slack does not accept the app token (invalid_auth).",
    },
  ]);
  const { OTHER_BOT: _, ...without } = project.env;
  const untold = await chatFindings({ root: project.folder }, config, without);
  expect(untold[0]).toMatchObject({ name: "chat", state: "fail" });
  expect(untold[0]?.found).toContain("helper does not answer in Slack: OTHER_BOT is not set. Set it where");
});
