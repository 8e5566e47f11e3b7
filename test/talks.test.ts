import { describe, expect, it } from "vitest";
import { auditTrail } from "../src/app/access/audit.ts";
import { lookIntoStore } from "../src/app/project.ts";
import { TerminalChat } from "../src/connectors/terminal/terminal.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { eventsOfType } from "../src/store/events.ts";
import { heldHandoff, talkative } from "./chat.ts";
import { comesTo } from "./fleet-jobs.ts";
import { shown } from "./harness.ts";
import { told } from "./obedient.ts";
import {
  ADA,
  BOB,
  botIn,
  botSays,
  CHANNEL,
  CUTS,
  startTalking,
  TerminalCut,
  talkingProject,
} from "./talks.ts";

describe("a thread with an agent", () => {
  it("is one session: each message is answered there, after a handoff by the next one", async () => {
    const { chat, project } = await startTalking(await talkingProject());
    const first = chat.say(ADA, "ask-one", { channel: CHANNEL });
    await botSays(chat, first, "The answer to ask-one is yes.");
    const thread = first.place.thread ?? "";
    chat.say(BOB, told("echo done > made.txt"), { channel: CHANNEL, thread });
    await botSays(chat, first, "Done as told.");
    const before = await shown(project);
    expect(before.sessions).toHaveLength(1);
    chat.say(ADA, "!handoff", { channel: CHANNEL, thread });
    await botSays(chat, first, "fresh session continues (handoff 1)");
    chat.say(ADA, "ask-two", { channel: CHANNEL, thread });
    await botSays(chat, first, "The answer to ask-two is yes.");
    const after = await shown(project);
    expect(after).toMatchObject({ id: before.id, prompt: "Ada: ask-one" });
    expect(after.sessions).toHaveLength(2);
    expect(botIn(chat, first).filter((text) => text.includes("The answer"))).toHaveLength(2);
  });

  it("hears what is written in the middle of a handoff once, in the next session; commands do not wait for it", async () => {
    const { rule, letGo } = heldHandoff();
    const { chat, project } = await startTalking(await talkingProject({ scenario: talkative(rule) }));
    const first = chat.say(ADA, "ask-one", { channel: CHANNEL });
    await botSays(chat, first, "The answer to ask-one is yes.");
    const thread = first.place.thread ?? "";
    const requested = project.simulator.waitFor(({ request }) => isHandoffRequest(request));
    chat.say(ADA, "!handoff", { channel: CHANNEL, thread });
    await requested;
    chat.say(BOB, "ask-meanwhile", { channel: CHANNEL, thread });
    chat.say(ADA, "!sessions", { channel: CHANNEL, thread });
    await botSays(chat, first, /^1\. `[0-9a-f]{8}` /);
    letGo();
    await botSays(chat, first, "The answer to ask-meanwhile is yes.");
    const texts = botIn(chat, first);
    expect(said(texts, "ask-meanwhile is yes")).toBe(1);
    expect(texts.findIndex((text) => text.includes("fresh session continues"))).toBeLessThan(
      texts.findIndex((text) => text.includes("ask-meanwhile is yes")),
    );
    await using store = await lookIntoStore({ root: project.folder });
    const { id, sessions } = await shown(project);
    const told = await eventsOfType(store, id, "message:sent");
    const meanwhile = told.filter(({ text }) => text.includes("ask-meanwhile"));
    expect(meanwhile.map(({ session }) => session)).toEqual([sessions[1].id]);
  });

  it("hands off where it rests, with what is to be looked at: its session is started for that alone", async () => {
    const project = await talkingProject();
    const chat = new TerminalChat({ limits: { message: 4_000, editEveryMs: 5 } });
    const fleet = await startTalking(project, { chat });
    const first = chat.say(ADA, "ask-one", { channel: CHANNEL });
    const thread = first.place.thread ?? "";
    await botSays(chat, first, "The answer to ask-one is yes.");
    await fleet.end();
    expect(await shown(project)).toMatchObject({ status: "paused" });
    await startTalking(project, { chat });
    chat.say(ADA, "!handoff the colour", { channel: CHANNEL, thread });
    await botSays(chat, first, "fresh session continues (handoff 1)");
    const [asked, ...others] = project.simulator.requests.filter(({ request }) => isHandoffRequest(request));
    expect(asked?.request.last).toContain("focus on: the colour");
    expect(others).toEqual([]);
    chat.say(ADA, "ask-two", { channel: CHANNEL, thread });
    await botSays(chat, first, "The answer to ask-two is yes.");
    expect((await shown(project)).sessions).toHaveLength(2);
  });
});

const said = (texts: readonly string[], what: string) => texts.filter((text) => text.includes(what)).length;

describe("what people see", () => {
  it("keeps two threads apart, tells people by name, and says how it stands", async () => {
    const { chat, project } = await startTalking(
      await talkingProject({ agent: "instances: { max_concurrent: 2 }" }),
    );
    const one = chat.say(ADA, "ask-one", { channel: CHANNEL });
    const two = chat.say(BOB, "ask-two", { channel: CHANNEL });
    await botSays(chat, one, "The answer to ask-one is yes.");
    await botSays(chat, two, "The answer to ask-two is yes.");
    expect(said(botIn(chat, one), "ask-two")).toBe(0);
    chat.say(BOB, "!status", { channel: CHANNEL, thread: two.place.thread ?? "" });
    await botSays(chat, two, /\*\*(?:waiting for you|at rest|at work)/);
    const { prompt } = await shown(project);
    expect(prompt).toMatch(/^(?:Ada: ask-one|Bob: ask-two)$/);
  });

  it("begins another conversation after a reset, and ignores who may not write", async () => {
    const { chat, project } = await startTalking(await talkingProject());
    const first = chat.say(ADA, "ask-one", { channel: CHANNEL });
    await botSays(chat, first, "The answer to ask-one is yes.");
    const { id } = await shown(project);
    // What is written right after it is not for the conversation that ends.
    for (const text of ["!reset", "ask-again"])
      chat.say(ADA, text, { channel: CHANNEL, thread: first.place.thread ?? "" });
    await botSays(chat, first, "This conversation is over");
    await botSays(chat, first, "Done as told.");
    const after = await shown(project);
    expect(after.id).not.toBe(id);
    expect(after.prompt).toContain("what was written here before");
    expect(chat.say(ADA, "nobody listens here", { channel: "C9" }).reactions).toEqual([]);
    await comesTo(project, { completed: 1, running: 1 });
  });
});

it("begins a conversation by a slash command with all that was written before it", async () => {
  const { chat, project } = await startTalking(await talkingProject());
  const first = chat.say(ADA, "ask-one", { channel: CHANNEL });
  await botSays(chat, first, "The answer to ask-one is yes.");
  chat.say(ADA, "!reset", { channel: CHANNEL, thread: first.place.thread ?? "" });
  await botSays(chat, first, "This conversation is over");
  chat.command({ by: ADA, place: first.place }, "paint", "the shed", () => {});
  await botSays(chat, first, "Done as told.");
  const { prompt } = await shown(project);
  expect(prompt).toMatch(/^Ada: paint the shed/);
  expect(prompt).toContain("This conversation is over");
});

const ASKS = ["permission_mode: default", "permission_prompts: ask"].join("\n");

it("asks with buttons: only who may answers, once, and it is on record who did", async () => {
  const { chat, project } = await startTalking(
    await talkingProject({ agent: `${ASKS}`, chat: "{ fake: true, approvers: [U1] }" }),
  );
  const first = chat.say(BOB, told("echo hello > made.txt"), { channel: CHANNEL });
  const asked = await botSays(chat, first, "May I use");
  const [yes] = asked.buttons;
  chat.say(BOB, "!status", { channel: CHANNEL, thread: first.place.thread ?? "" });
  await botSays(chat, first, "**waiting for an answer**");
  chat.press({ by: BOB, place: first.place }, yes?.id ?? "");
  await botSays(chat, first, "only U1 can");
  chat.press({ by: ADA, place: first.place }, yes?.id ?? "");
  await botSays(chat, first, "Done as told.");
  await botSays(chat, first, "allowed by Ada (U1)");
  expect(asked.buttons).toEqual([]);
  chat.press({ by: ADA, place: first.place }, yes?.id ?? "");
  await botSays(chat, first, "has already been answered");
  await using store = await lookIntoStore({ root: project.folder });
  const { id } = await shown(project);
  const [answered] = await eventsOfType(store, id, "ask:answered");
  expect(answered?.answer).toEqual({ answer: "once", by: "Ada (U1)" });
  const trail = auditTrail({ limit: 9, target: answered?.ask ?? "" });
  expect(trail.map(({ who, what, outcome }) => [who, what, outcome])).toEqual([
    ["terminal:U1", "approve", "done"],
    ["terminal:U2", "approve", "refused: not among the approvers"],
  ]);
});

describe("a fleet that ends in between", () => {
  it("answers what was on record, once, wherever it was cut off", async () => {
    const project = await talkingProject();
    const chat = new TerminalChat({ limits: { message: 4_000, editEveryMs: 5 } });
    const one = await startTalking(project, { chat });
    const first = chat.say(ADA, "ask-0", { channel: CHANNEL });
    await botSays(chat, first, "ask-0 is yes");
    await one.end();
    const thread = first.place.thread ?? "";
    // At other moments each: before it is heard, when it is on record, while it works, before it is told.
    for (const [index, moment] of CUTS.entries()) {
      const word = `ask-cut${index + 1}`;
      const cut = new TerminalCut(chat, moment);
      const fleet = await startTalking(project, { connect: async () => cut.connector() });
      chat.say(ADA, word, { channel: CHANNEL, thread });
      await cut.reached;
      await fleet.end();
      const next = await startTalking(project, { chat });
      await botSays(chat, first, `${word} is yes`);
      await next.end();
    }
    const texts = botIn(chat, first);
    for (let index = 0; index <= CUTS.length; index++) {
      expect(said(texts, `ask-${index === 0 ? 0 : `cut${index}`} is yes`)).toBe(1);
    }
  }, 150_000);
});
