import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { only, PROMPT } from "../../../test/played-job.ts";
import { personWith, type RelayedJob, relayedJob } from "../../../test/played-relay.ts";
import {
  completed,
  fillsWindow,
  finishes,
  handsIn,
  idle,
  type Part,
  type PlayedSession,
  response,
  stopped,
  toolEnd,
  toolStart,
} from "../../../test/played-session.ts";
import { resumePrompt, sentBefore, sentMeanwhile, workOnPrompt } from "../../handoff/continuation.ts";
import type { JobEvent } from "../../job/events.ts";
import { messagesTo, queueMessage, removeMessage, sentMessages, takeMessages } from "../../store/messages.ts";
import type { Moment } from "../../store/tables.ts";
import { JobInterrupted } from "../reasons.ts";
import { Control } from "../run/control.ts";

const AT = "2026-01-01T00:00:00.000Z";

const send = ({ store, id }: RelayedJob, text: string, moment: Moment = "boundary") =>
  queueMessage(store, id, { text, moment, at: AT });
const told = (sessions: readonly PlayedSession[]) => sessions.map(({ sent }) => sent.map(({ text }) => text));

/** Works until it is asked to stop, which happens when its tool is done. */
const stopsWhenAsked =
  (during: () => unknown): Part =>
  async (session) => {
    session.play(response(10_000), toolStart("a"));
    await during();
    await session.untilAsked("stopAtBoundary");
    session.play(toolEnd("a"), stopped, idle);
  };

describe("what is sent to a job while it works", () => {
  it("is heard at the next boundary, all of it at once, and the work continues", async () => {
    const job = await relayedJob();
    const control = new Control();
    const sends = async () => {
      await send(job, "Use port 8080.");
      await send(job, "And the tests.");
      control.lookForMessages();
    };
    const { agent, events, job: ended } = await job.run([stopsWhenAsked(sends), finishes()], { control });
    expect(ended.status).toBe("completed");
    expect(told(agent.sessions)).toEqual([[PROMPT, sentMeanwhile("Use port 8080.\n\nAnd the tests.")]]);
    expect(only(events, "message:sent").filter(({ kind }) => kind === "said")).toMatchObject([
      { text: "Use port 8080.", queued: 1 },
      { text: "And the tests.", queued: 2 },
    ]);
    expect(await messagesTo(job.store, job.id)).toEqual([]);
  });

  it("is heard from another process without being asked twice", async () => {
    const job = await relayedJob();
    const { agent } = await job.run([stopsWhenAsked(() => send(job, "Look here.")), finishes()]);
    expect(told(agent.sessions)).toEqual([[PROMPT, sentMeanwhile("Look here.")]]);
  });

  it("is heard when the turn is over, or the job would be, where that is asked for", async () => {
    const job = await relayedJob();
    const first: Part = async (session) => {
      await send(job, "At the end.", "end");
      await send(job, "After this turn.", "turn");
      session.play(response(10_000), completed(), idle);
    };
    const { agent, job: ended } = await job.run([first, finishes("Second."), finishes("Third.")]);
    expect(told(agent.sessions)).toEqual([[PROMPT, "After this turn.", "At the end."]]);
    expect(ended.result).toBe("Third.");
  });

  it("does not stop the turn once it is taken back, and the work continues where it has stopped for it", async () => {
    const job = await relayedJob();
    const control = new Control();
    const changes = async (session: PlayedSession) => {
      const id = (await send(job, "Never mind.")) ?? 0;
      control.lookForMessages();
      await session.untilAsked("stopAtBoundary");
      await removeMessage(job.store, id, new Date());
      control.lookForMessages();
      await session.untilAsked("goOn");
    };
    const takesBack: Part = async (session) => {
      session.play(response(10_000), toolStart("a"));
      await changes(session);
      session.play(toolEnd("a"), response(11_000), completed(), idle);
    };
    const { agent } = await job.run([takesBack], { control });
    expect(told(agent.sessions)).toEqual([[PROMPT]]);

    const other = await relayedJob();
    const tooLate: Part = async (session) => {
      const id = (await send(other, "Never mind.")) ?? 0;
      session.play(response(10_000), toolStart("a"));
      await session.untilAsked("stopAtBoundary");
      await removeMessage(other.store, id, new Date());
      session.play(toolEnd("a"), stopped, idle);
    };
    const late = await other.run([tooLate, finishes()]);
    expect(told(late.agent.sessions)).toEqual([[PROMPT, workOnPrompt()]]);
  });

  it("waits for the next session where its own hands off first", async () => {
    const job = await relayedJob();
    const full: Part = async (session, text) => {
      await send(job, "Use port 8080.");
      await fillsWindow(session, text);
    };
    const handsOn: Part = (session) => session.play(response(20_000), toolStart("c"));
    const next: Part = async (session) => {
      handsOn(session, "");
      await session.untilAsked("stopAtBoundary");
      session.play(toolEnd("c"), stopped, idle);
    };
    const { agent, job: ended } = await job.run([full, handsIn, next, finishes()]);
    expect(ended.status).toBe("completed");
    const [first = [], second = []] = told(agent.sessions);
    expect(first.join()).not.toContain("8080");
    expect(second.slice(1)).toEqual([sentMeanwhile("Use port 8080.")]);
  });

  it("waits where the job stops, and is heard when it is resumed", async () => {
    const job = await relayedJob();
    const stops = await job.run([(session) => session.play(response(10_000), toolStart("a"))], {
      on: async ({ type }, { stop }) => {
        if (type !== "tool:start") return;
        await send(job, "Use port 8080.");
        stop.abort(new JobInterrupted("a test"));
      },
    });
    expect(stops.job.status).toBe("interrupted");
    const [session = ""] = stops.job.sessions.map(({ id }) => id);
    const path = join(job.folder, "old.jsonl");
    await writeFile(path, transcript(PROMPT));
    const { agent } = await job.run([finishes()], { transcripts: { [session]: path } });
    expect(told(agent.sessions)).toEqual([[sentBefore(resumePrompt(), "Use port 8080.")]]);
  });

  it("reaches a chat, in which a person is waited for", async () => {
    const job = await relayedJob();
    const conversation = personWith();
    const control = new Control();
    let awaited = 0;
    const { agent, job: ended } = await job.run([finishes("One."), finishes("Two.")], {
      conversation,
      control,
      on: async ({ type }) => {
        if (type !== "person:awaited") return;
        if (awaited++ > 0) return conversation.want({ kind: "end" });
        await send(job, "From elsewhere.");
        control.lookForMessages();
      },
    });
    expect(told(agent.sessions)).toEqual([[PROMPT, "From elsewhere."]]);
    expect(ended.status).toBe("completed");
  });
});

const SESSION = "old";
const life: JobEvent[] = [
  { type: "job:started", pid: 1, marker: "an earlier owner" },
  { type: "session:starting", session: SESSION, ordinal: 1, mode: "fresh" },
  { type: "message:sent", session: SESSION, kind: "request", text: PROMPT },
  {
    type: "response",
    session: SESSION,
    model: "claude-sonnet-4-5",
    context: { tokens: 10_000, window: 200_000, percent: 5 },
  },
];
const said = (queued: number, text: string): JobEvent => ({
  type: "message:sent",
  session: SESSION,
  kind: "said",
  text,
  queued,
});
const cutOff: JobEvent = { type: "job:interrupted", message: "killed" };

function transcript(...texts: string[]): string {
  return texts
    .map((content) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`)
    .join("");
}

describe("what was sent when its process was killed", () => {
  /** A job that was killed after it took a message to its session. */
  async function killed(...events: JobEvent[]) {
    const job = await relayedJob();
    const queued = (await send(job, "Use port 8080.")) ?? 0;
    await job.lived(...life);
    await takeMessages({ ...job, job: job.id, attempt: 1 }, [queued], SESSION);
    await job.lived(...events, cutOff);
    const path = join(job.folder, "old.jsonl");
    await writeFile(path, transcript(PROMPT));
    return { job, path, run: () => job.run([finishes()], { transcripts: { [SESSION]: path } }) };
  }

  const saidIn = (events: readonly JobEvent[]) =>
    only(events, "message:sent").filter(({ kind }) => kind === "said");

  it("is told once more where it was not even on record", async () => {
    const { run } = await killed();
    const { agent, events } = await run();
    expect(told(agent.sessions)).toEqual([[sentBefore(resumePrompt(), "Use port 8080.")]]);
    expect(saidIn(events)).toHaveLength(1);
  });

  it("is told again where its session has not heard it, and stands in the journal once", async () => {
    const { run, job } = await killed(said(1, "Use port 8080."));
    const { agent, events } = await run();
    expect(told(agent.sessions)).toEqual([[sentBefore(resumePrompt(), "Use port 8080.")]]);
    expect(saidIn(events)).toEqual([]);
    expect(await sentMessages({ ...job, job: job.id, attempt: 0 })).toEqual([]);
  });

  it("is not told again where its session has it", async () => {
    const { run, path } = await killed(said(1, "Use port 8080."));
    await appendFile(path, transcript(sentMeanwhile("Use port 8080.")));
    const { agent } = await run();
    expect(told(agent.sessions)).toEqual([[resumePrompt()]]);
  });

  it("is in the document where its session is gone", async () => {
    const { job } = await killed(said(1, "Use port 8080."));
    const { agent, events } = await job.run([finishes()]);
    expect(told(agent.sessions)).toMatchObject([[expect.stringContaining("Use port 8080.")]]);
    expect(saidIn(events)).toEqual([]);
  });
});

it("takes nothing more from the moment a job completes, and loses nothing that came before", async () => {
  const job = await relayedJob();
  const { job: ended } = await job.run([finishes()]);
  expect(ended.status).toBe("completed");
  expect(await send(job, "Too late.")).toBeUndefined();
  expect(await messagesTo(job.store, job.id)).toEqual([]);
});
