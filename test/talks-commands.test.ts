import { expect, it } from "vitest";
import { auditTrail } from "../src/app/access/audit.ts";
import { messagesFor } from "../src/app/jobs/messages.ts";
import { lookIntoStore } from "../src/app/project.ts";
import type { Rule } from "../src/simulator/scenario.ts";
import { bash } from "./careful.ts";
import { talkative } from "./chat.ts";
import { comesTo, go, jobsIn } from "./fleet-jobs.ts";
import { baton, shown } from "./harness.ts";
import { eventually } from "./panes.ts";
import { ADA, BOB, botIn, botSays, CHANNEL, startTalking, talkingProject } from "./talks.ts";

const MENTION = { channel: CHANNEL, isMention: true };

const runsForEver: Rule = {
  when: ({ last }) => last.endsWith("for ever"),
  reply: { call: bash("touch runs; tail -f /dev/null", "Run for ever") },
  times: 1,
};
/** After a turn that was broken off. */
const hearsWhatWaited: Rule = {
  when: ({ last }) => last.includes("ask-waiting"),
  reply: { say: "The answer to ask-waiting is yes." },
};

it("answers commands where there is no conversation, and counts them as none", async () => {
  const { chat, project } = await startTalking(await talkingProject());
  const asked = chat.say(ADA, "help", MENTION);
  await botSays(chat, asked, "`!handoff [focus]`");
  const status = chat.say(ADA, "!status", { channel: CHANNEL });
  await botSays(chat, status, "There is no conversation here yet");
  const skill = chat.say(ADA, "!skill", { channel: CHANNEL });
  await botSays(chat, skill, "`!handoff [focus]`");
  expect(await jobsIn(project)).toEqual([]);
});

it("stops a turn at once, hears the next message in the same session, and puts both on record", async () => {
  const { chat, project } = await startTalking(
    await talkingProject({ scenario: talkative(runsForEver, hearsWhatWaited) }),
  );
  const first = chat.say(ADA, "run for ever", { channel: CHANNEL });
  const thread = first.place.thread ?? "";
  await botSays(chat, first, "⏳ Bash");
  // Before it, in the queue of the conversation.
  chat.say(ADA, "ask-waiting", { channel: CHANNEL, thread });
  chat.say(BOB, "stop", { ...MENTION, thread });
  await botSays(chat, first, "I stop");
  await botSays(chat, first, "The answer to ask-waiting is yes.");
  chat.say(ADA, "!sessions", { channel: CHANNEL, thread });
  await botSays(chat, first, /^1\. `[0-9a-f]{8}` \d+ turns/);
  chat.say(ADA, "!cost", { channel: CHANNEL, thread });
  await botSays(chat, first, /\$\d.*in \d+ turns\./);
  const { id, sessions, conversation } = await shown(project);
  expect(sessions).toHaveLength(1);
  expect(conversation).toEqual({ service: "terminal", channel: CHANNEL, by: ADA });
  const trail = auditTrail({ limit: 5, projects: [project.folder] });
  expect(trail.map(({ who, what, target, origin }) => [who, what, target, origin])).toEqual([
    ["terminal:U2", "!stop", id, "chat"],
    ["terminal:U1", "startJob", id, "chat"],
  ]);
});

it("keeps what is written meanwhile for the moment that the configuration names", async () => {
  const untilGo = bash("until [ -e go ]; do sleep 0.05; done", "Wait");
  const { chat, project } = await startTalking(
    await talkingProject({
      chat: "{ fake: true, steer: end }",
      scenario: talkative({
        when: ({ last }) => last.endsWith("and wait"),
        reply: { call: untilGo },
        times: 1,
      }),
    }),
  );
  const first = chat.say(ADA, "begin and wait", { channel: CHANNEL });
  await botSays(chat, first, "⏳ Bash");
  chat.say(BOB, "ask-later", { channel: CHANNEL, thread: first.place.thread ?? "" });
  await using store = await lookIntoStore({ root: project.folder });
  const [waiting] = await eventually("it waits", async () => {
    const messages = await messagesFor(store);
    return messages.length > 0 && messages;
  });
  expect(waiting).toMatchObject({ at: "end", text: "Bob: ask-later" });
  go(project);
  await botSays(chat, first, "The answer to ask-later is yes.");
  // What it was at came to its own end first.
  expect(botIn(chat, first)).toContain("Done as told.");
});

it("tells a thread what a job does that others work on, also where several threads follow it, and keeps talks apart", async () => {
  const { chat, project } = await startTalking(
    await talkingProject({
      agent: "instances: { max_concurrent: 2 }",
      scenario: talkative({
        when: ({ last }) => last.includes("item 17"),
        reply: { call: bash("until [ -e go ]; do sleep 0.05; done", "Wait") },
        times: 1,
      }),
    }),
  );
  const talk = chat.say(ADA, "ask-one", { channel: CHANNEL });
  await botSays(chat, talk, "The answer to ask-one is yes.");
  const theirs = await shown(project);
  await baton(project, ["trigger", "coder", "--prompt", "Do item 17"]);
  await comesTo(project, { running: 2 });
  const item = (await jobsIn(project)).find(({ id }) => id !== theirs.id)?.id ?? "";
  const [one, two] = [ADA, BOB].map((by) => chat.say(by, `!follow ${item}`, { channel: CHANNEL }));
  if (!one || !two) throw new Error("nobody follows");
  for (const thread of [one, two]) await botSays(chat, thread, `This thread hears what ${item} does.`);
  const nosy = chat.say(BOB, `!follow ${theirs.id}`, { channel: CHANNEL });
  await botSays(chat, nosy, "it cannot be followed from here");
  const guess = chat.say(BOB, "!follow job-", { channel: CHANNEL });
  await botSays(chat, guess, "There is no such job");
  go(project);
  for (const thread of [one, two]) {
    await botSays(chat, thread, "Done as told.");
    await botSays(chat, thread, "It is completed.");
  }
  expect(botIn(chat, nosy)).toHaveLength(1);
  expect(botIn(chat, talk).join()).not.toContain("completed");
});
