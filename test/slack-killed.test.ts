import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, vi } from "vitest";
import { CUT_OFF } from "../src/app/conversations/words.ts";
import type { Rule, Scenario } from "../src/simulator/scenario.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { bash } from "./careful.ts";
import { talkative } from "./chat.ts";
import { Baton, type TestProject, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";
import { ServiceClock } from "./service-clock.ts";
import { BOT_USER, markdownIn, type StoredMessage } from "./slack/workspace.ts";
import { APP_TOKEN, BOT_TOKEN, type SlackService, startSlackService } from "./slack-service.ts";

vi.setConfig({ testTimeout: 150_000 });

/** An agent shows all that it writes as it comes in the first channel, and only answers in the second. */
const STREAMED = "C0000000001";
const ANSWERED = "C0000000002";
/** An answer of more than 60,000 characters, which is attached. */
const LONG = "A line of a long answer.\n".repeat(2_500).trim();

const wordOf = (text: string) => text.match(/ask-\w+/g)?.at(-1);

interface Setting {
  slack: SlackService;
  project: TestProject;
  word: string;
}

interface Moment {
  at: string;
  channel?: string;
  /** What the model does once when it hears of this. */
  reply?: Rule["reply"];
  /** Arms it before the person writes. Resolves when the moment has come. */
  comes: (setting: Setting, written: (thread?: StoredMessage) => StoredMessage) => Promise<unknown>;
}

const held =
  (method: string, after: boolean, isAboutWord = false): Moment["comes"] =>
  async ({ slack, word }, written) => {
    const reached = slack.hold(method, after, (given) => !isAboutWord || given.includes(word));
    written();
    await reached;
  };

const modelStalls: Moment["comes"] = async ({ project: { simulator } }, written) => {
  const earlier = new Set(simulator.requests);
  written();
  await simulator.waitFor((one) => one.reply?.fault?.kind === "stall" && !earlier.has(one));
};

const MOMENTS: Moment[] = [
  { at: "before the event is on record", comes: held("users.info", false) },
  {
    at: "after it is on record, and before Slack knows that",
    async comes({ slack }, written) {
      slack.sockets.dropsAcks = true;
      const seen = slack.hold("reactions.add", true);
      written();
      await seen;
    },
  },
  { at: "before its job is made", comes: held("conversations.replies", false) },
  {
    at: "after its job is made, before the model answers",
    reply: { say: "…", fault: { kind: "stall", at: "start" } },
    comes: modelStalls,
  },
  {
    at: "while the model answers",
    reply: { say: "Half of an answer, and then nothing.", fault: { kind: "stall", at: "middle" } },
    comes: modelStalls,
  },
  {
    at: "while a tool runs",
    reply: { call: bash("touch runs; tail -f /dev/null", "Run for ever") },
    async comes({ project }, written) {
      written();
      await eventually("the tool runs", async () => existsSync(join(project.folder, "runs")));
    },
  },
  { at: "when its text has begun to show", comes: held("chat.startStream", true) },
  { at: "before its text is complete", comes: held("chat.stopStream", false) },
  { at: "after its text is complete, before that is on record", comes: held("chat.stopStream", true) },
  {
    at: "after the answer is on record, before it is posted",
    channel: ANSWERED,
    comes: held("chat.postMessage", false, true),
  },
  {
    at: "after it was posted, before that is on record",
    channel: ANSWERED,
    comes: held("chat.postMessage", true, true),
  },
  {
    at: "after the file with all of a long answer was shared, before that is on record",
    reply: ({ last }) => ({ say: `The answer to ${wordOf(last)} is yes.\n${LONG}` }),
    comes: held("files.completeUploadExternal", true),
  },
  {
    at: "in the middle of a handoff",
    async comes({ slack, project }, written) {
      const thread = slack.say(STREAMED, `<@${BOT_USER}> ask-before`);
      await slack.when(() =>
        slack.said(STREAMED).some((message) => markdownIn(message).includes("ask-before is yes")),
      );
      await modelStalls({ slack, project, word: "" }, () =>
        slack.say(STREAMED, "!handoff", { thread: thread.ts }),
      );
      const seen = slack.hold("reactions.add", true);
      written(thread);
      await seen;
    },
  },
];

/** Each word is answered by itself, by whatever session hears it; once, a stall or a tool comes first. */
function killable(): Scenario {
  const once: Rule[] = MOMENTS.flatMap(({ reply }, index) =>
    reply ? [{ when: ({ last }) => last.endsWith(`ask-${index}`), reply, times: 1 }] : [],
  );
  const stalls: Rule = {
    when: isHandoffRequest,
    reply: { say: "…", fault: { kind: "stall", at: "start" } },
    times: 1,
  };
  const again: Rule = {
    when: ({ kind, last, text }) => kind === "main" && /You were interrupted/.test(last) && /ask-/.test(text),
    reply: ({ text }) => ({ say: `The answer to ${wordOf(text)} is yes.` }),
  };
  return talkative(...once, stalls, again);
}

/** In each job, the person has the word. */
function isNothingOwed({ folder }: TestProject): boolean {
  const database = new Database(join(folder, ".baton", "baton.db"), { readonly: true });
  try {
    const owed = database.prepare(
      `SELECT 1 FROM events AS sent WHERE type = 'message:sent' AND NOT EXISTS (
         SELECT 1 FROM events AS awaited WHERE awaited.job = sent.job AND awaited.type = 'person:awaited' AND awaited.seq > sent.seq
       )`,
    );
    return owed.all().length === 0;
  } finally {
    database.close();
  }
}

const agentIn = (channel: string, output: string) =>
  `chat: { slack: { channels: [{ id: ${channel} }], output: { assistant_messages: ${output} } } }`;

it("answers once what people write, at whatever moment it is killed", async () => {
  const slack = await startSlackService({ clock: new ServiceClock(), isLimited: false });
  for (const id of [STREAMED, ANSWERED]) slack.workspace.channel(id, "channel");
  const project = await testProject({
    scenario: killable(),
    agent: agentIn(STREAMED, "all"),
    others: [
      [
        "name: brief",
        "model: claude-sonnet-4-5",
        "permission_mode: bypassPermissions",
        agentIn(ANSWERED, "answers"),
      ],
    ],
    env: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_APP_TOKEN: APP_TOKEN, SLACK_API_URL: slack.apiUrl },
  });
  const start = async () => {
    const { greeted } = slack.sockets;
    const fleet = new Baton(project, ["start"]);
    await slack.when(() => slack.sockets.greeted > greeted);
    slack.sockets.tellAgain();
    return fleet;
  };
  // What its process could not finish says so, and is followed by the whole of it.
  const answersIn = (channel: string, { ts }: StoredMessage) =>
    slack
      .said(channel)
      .filter(({ thread_ts }) => thread_ts === ts)
      .map(markdownIn)
      .filter((text) => !text.endsWith(CUT_OFF));
  let fleet = await start();
  const killed = async () => {
    await fleet.kill();
    slack.sockets.dropsAcks = false;
    await slack.when(() => slack.sockets.size === 0);
    fleet = await start();
  };
  const said: { at: string; times: () => number }[] = [];
  for (const [index, { at, channel = STREAMED, comes }] of MOMENTS.entries()) {
    const word = `ask-${index}`;
    const threads: StoredMessage[] = [];
    const write = (within?: StoredMessage) => {
      const said = within
        ? slack.say(channel, word, { thread: within.ts })
        : slack.say(channel, `<@${BOT_USER}> ${word}`);
      threads.push(within ?? said);
      return said;
    };
    await comes({ slack, project, word }, write);
    await killed();
    const [thread] = threads;
    if (!thread) throw new Error("nobody wrote");
    const answer = `The answer to ${word} is yes.`;
    await eventually(
      `an answer to what was said ${at}; it was ${JSON.stringify(answersIn(channel, thread))}\n${fleet.stdout}${fleet.stderr}`,
      async () => answersIn(channel, thread).some((text) => text.includes(answer)),
    );
    // A kill before its turn is over is a moment of its own: the turn is continued then.
    await eventually("the end of its turn on record", async () => isNothingOwed(project));
    said.push({ at, times: () => answersIn(channel, thread).filter((text) => text.includes(answer)).length });
  }
  const shared = [...slack.workspace.files.values()].filter(({ shares }) => Object.keys(shares).length > 0);
  expect(shared).toHaveLength(1);
  // None looks as if it were still being written.
  const unfinished = slack.said(STREAMED).filter(({ stream }) => stream && stream.endedBy !== "bot");
  expect(unfinished).toEqual([]);
  expect(said.map(({ at, times }) => `${at}: ${times()}`)).toEqual(MOMENTS.map(({ at }) => `${at}: 1`));
});
