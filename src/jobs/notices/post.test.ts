import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { agentNamed } from "../../config/agent-named.ts";
import type { NotifyEvent } from "../../config/config.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import { missedPayload } from "../../hooks/payload.ts";
import type { Notice } from "../../job/notices/notice.ts";
import type { Told } from "../../job/notices/together.ts";
import { parseHours } from "../../util/hours.ts";
import { type NotifyConfig, Post } from "./post.ts";

const START = Date.parse("2026-11-18T21:00:00.000Z");
const MINUTE = 60_000;

/** The desktop of one person, at a time that the test sets. */
function desktop(notify: Partial<NotifyConfig["notify"]> = {}) {
  const project = `/project-${randomUUID()}`;
  const config: NotifyConfig = {
    ...agentNamed(configWithoutFile(project)),
    notify: { events: [], desktop: true, bell: false, hooks: [], ...notify },
  };
  const shown: Notice[] = [];
  let now = START;
  const reach = { bell: () => {}, desktop: async (notice: Notice) => void shown.push(notice) };
  const open = () => new Post({ project, config, reach, env: {}, onRun: () => {}, now: () => new Date(now) });
  return { shown, open, pass: (minutes: number) => (now += minutes * MINUTE) };
}

function told(event: NotifyEvent, title: string): Told {
  const command = "baton show 3k7";
  const message = { tone: "plain" as const, title, facts: [], text: "" };
  const payload = missedPayload({ agent: "coder", schedule: "nightly", due: "", count: 1, reason: "" });
  return {
    at: "2026-11-18T21:00:00.000Z",
    notice: { event, title, text: "", command },
    news: { event: "completed", payload, message },
  };
}

it("tells the first of many alike at once, and the others five minutes later as one", async () => {
  const { shown, open, pass } = desktop();
  const post = open();
  for (let count = 0; count < 200; count++) await post.tell("no key", told("failure", "coder: failed"));
  expect(shown.map(({ title }) => title)).toEqual(["coder: failed"]);
  pass(4);
  await post.tellDue();
  expect(shown).toHaveLength(1);
  pass(1);
  await post.tellDue();
  expect(shown.slice(1)).toMatchObject([{ title: "coder: failed (199 times)", command: "baton inbox" }]);
  pass(5);
  await post.tell("no key", told("failure", "coder: failed"));
  expect(shown).toHaveLength(3);
});

it("tells what differs at once", async () => {
  const { shown, open } = desktop();
  const post = open();
  await post.tell("one", told("failure", "coder: failed"));
  await post.tell("two", told("failure", "coder: failed"));
  await post.tell("one", told("pause", "coder: paused"));
  expect(shown).toHaveLength(3);
});

it("tells what is left when its process ends, where no fleet would tell it later", async () => {
  const { shown, open } = desktop();
  const post = open();
  await post.tell("done", told("completion", "coder: completed"));
  await post.tell("done", told("completion", "coder: completed"));
  expect(shown).toHaveLength(1);
  await post[Symbol.asyncDispose]();
  expect(shown).toHaveLength(2);
});

it("holds what comes in quiet hours, through the end of its process, and tells it afterwards as one", async () => {
  const quietHours = parseHours("22:00-07:00", "07:00");
  if (!quietHours) throw new Error("no hours");
  const { shown, open, pass } = desktop({ quietHours, timezone: "UTC" });
  pass(3 * 60);
  {
    await using night = open();
    await night.tell("a", told("completion", "coder: completed"));
    await night.tell("b", told("failure", "coder: failed"));
  }
  pass(6 * 60);
  await open().tellDue();
  expect(shown).toEqual([]);
  pass(60);
  await open().tellDue();
  expect(shown).toMatchObject([
    {
      event: "failure",
      title: expect.stringMatching(/2 notices since 2026-11-18 21:00$/),
      command: "baton inbox",
    },
  ]);
  expect(shown[0]?.text).toContain("coder: completed");
  await open().tellDue();
  expect(shown).toHaveLength(1);
});
