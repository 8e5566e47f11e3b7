import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createRepository, git } from "../../../test/job-worktree.ts";
import { only, PROMPT, typesOf } from "../../../test/played-job.ts";
import { personWith, relayedJob } from "../../../test/played-relay.ts";
import {
  account,
  completed,
  failing,
  fillsWindow,
  finishes,
  handsIn,
  idle,
  overflow,
  type Part,
  type PlayedSession,
  response,
  stopped,
  toolEnd,
  toolStart,
  turnEnd,
} from "../../../test/played-session.ts";
import type { AgentEvent, ToolAction } from "../../agents/events.ts";
import type { HookConfig } from "../../config/hook-config.ts";
import { goOnPrompt, resumePrompt } from "../../handoff/continuation.ts";
import { jobView } from "../../job/view.ts";
import { findJob } from "../../store/jobs.ts";
import { JobCancelled, JobInterrupted } from "../reasons.ts";
import { Control } from "./control.ts";

const fails: Part = (session) => session.play(response(10_000), failing, idle);
const dies: Part = (session) => session.play(response(10_000), { type: "exit", code: 137 });
const works: Part = (session) => session.play(response(10_000), toolStart("a"));

function shellHook(command: string): HookConfig {
  return { type: "shell", name: "mine", command, continueOnError: false, timeoutMs: 10_000 };
}

describe("a job that fits into one window", () => {
  it("is told its prompt and completes with the agent's last word", async () => {
    const { run, store, id } = await relayedJob();
    const { job, events, agent } = await run([finishes("The notes are written.")]);
    expect(job).toMatchObject({ status: "completed", result: "The notes are written.", handoffs: [] });
    expect(job.sessions).toMatchObject([{ mode: "fresh", endReason: "completed", turns: 1 }]);
    expect(agent.sessions.map(({ sent, isClosed }) => ({ sent, isClosed }))).toEqual([
      { sent: [{ text: PROMPT, verbatim: false }], isClosed: true },
    ]);
    // Beside the work the program is asked for its window.
    expect(typesOf(events).filter((type) => type !== "session:known")).toEqual([
      "job:started",
      "workspace:ready",
      "session:starting",
      "message:sent",
      "response",
      "text",
      "cost",
      "session:ended",
      "job:completed",
    ]);
    expect(await findJob(store, id)).toEqual(job);
  });

  it("redacts what the agent says once: what stands in a secret's place is not redacted again", async () => {
    const { run } = await relayedJob();
    const { events } = await run([finishes("It is redacted.")], { env: { MY_TOKEN: "redacted" } });
    expect(only(events, "text")).toMatchObject([{ text: "It is [redacted: MY_TOKEN]." }]);
  });

  it("has the agent's list of what is to do on record, as it changes", async () => {
    const { run } = await relayedJob();
    const todo = (id: string, does: ToolAction): AgentEvent[] => [
      { type: "tool:start", id, name: "Todo", does, about: "", input: {} },
      toolEnd(id),
    ];
    const listed = [
      { text: "Read", status: "completed" },
      { text: "Write", status: "pending" },
    ];
    const plans: Part = (session) =>
      session.play(
        response(10_000),
        ...todo("a", { kind: "todo", change: "list", todos: listed }),
        ...todo("b", { kind: "todo", change: "update", id: "2", status: "in_progress" }),
        toolStart("c"),
        toolEnd("c"),
        completed(),
        idle,
      );
    const { job, events } = await run([plans]);
    expect(only(events, "todos:changed").map(({ todos }) => todos.map(({ status }) => status))).toEqual([
      ["completed", "pending"],
      ["completed", "in_progress"],
    ]);
    expect(jobView(job).todos).toEqual([
      { id: "1", text: "Read", status: "completed" },
      { id: "2", text: "Write", status: "in_progress" },
    ]);
  });

  it("has each message on disk before the agent hears it", async () => {
    const { run } = await relayedJob();
    const heard: number[] = [];
    await run([fails, finishes()], {
      on: (event, { agent }) => {
        if (event.type === "message:sent") heard.push(agent.sessions[0]?.sent.length ?? -1);
      },
    });
    expect(heard).toEqual([0, 1]);
  });

  it("hears what the user's hook of on_session_start printed before its prompt", async () => {
    const { run } = await relayedJob({
      config: { hooks: { onSessionStart: [shellHook("echo Use tabs.")] } },
    });
    const { agent } = await run([finishes()]);
    expect(agent.sessions[0]?.sent[0]?.text).toBe(`Use tabs.\n\n${PROMPT}`);
  });
});

describe("a job that fills a window", () => {
  it("passes to a second session, which is told of it once the handoff is stored and the first has ended", async () => {
    const seen: Record<string, { isClosed: boolean | undefined; heard: number | undefined }> = {};
    const { run } = await relayedJob();
    const { job, agent, events } = await run([fillsWindow, handsIn, finishes()], {
      on: ({ type }, { agent }) => {
        const [first, second] = agent.sessions;
        if (type === "handoff:stored" || type === "context:handoff:complete")
          seen[type] = { isClosed: first?.isClosed, heard: second?.sent.length };
      },
    });
    expect(job).toMatchObject({ status: "completed", result: "All is done." });
    expect(seen).toEqual({
      "handoff:stored": { isClosed: false, heard: 0 },
      "context:handoff:complete": { isClosed: true, heard: 0 },
    });
    expect(agent.sessions[1]?.sent[0]?.text).toContain(account.currentState);
    expect(job.sessions).toMatchObject([
      { ordinal: 1, mode: "fresh", endReason: "handoff" },
      { ordinal: 2, mode: "continuation", endReason: "completed" },
    ]);
    expect(job.handoffs).toMatchObject([
      { number: 1, trigger: "threshold", source: "agent", toSession: agent.sessions[1]?.id },
    ]);
    expect(only(events, "handoff:stored", "session:ended", "context:handoff:complete")).toMatchObject([
      { type: "handoff:stored" },
      { type: "session:ended", reason: "handoff" },
      { type: "context:handoff:complete" },
      { type: "session:ended", reason: "completed" },
    ]);
  });

  it("and overflows it in one step passes to the next session on the facts alone", async () => {
    const { run } = await relayedJob();
    const bursts: Part = (session) =>
      session.play(response(90_000), toolStart("a", "make"), toolEnd("a"), overflow);
    const { job, agent } = await run([bursts, finishes()]);
    expect(job).toMatchObject({
      status: "completed",
      sessions: [{ endReason: "out-of-context" }, { endReason: "completed" }],
      handoffs: [{ trigger: "overflow", source: "facts", outcome: "from-facts" }],
    });
    expect(agent.sessions[0]?.sent).toHaveLength(1);
    expect(agent.sessions[1]?.sent[0]?.text).toContain("make");
  });

  it("pauses when its handoffs are used up, with the last one written", async () => {
    const { run } = await relayedJob({ config: { session: { maxHandoffsPerJob: 0 } } });
    const { job, agent, events } = await run([fillsWindow, handsIn]);
    expect(job).toMatchObject({ status: "paused", pauseCode: "max_handoffs", finishedAt: null });
    expect(job.handoffs).toMatchObject([{ outcome: "written", toSession: null }]);
    expect(typesOf(events).at(-1)).toBe("job:paused");
    expect(agent.sessions.map(({ isClosed }) => isClosed)).toEqual([true]);
  });
});

describe("what stops agents in real life", () => {
  it("an API that fails is tried again in the same session", async () => {
    const { run } = await relayedJob();
    const { job, agent, events } = await run([fails, fails, finishes()]);
    expect(job.status).toBe("completed");
    expect(agent.sessions).toHaveLength(1);
    expect(agent.sessions[0]?.sent.map(({ text }) => text)).toEqual([PROMPT, goOnPrompt(), goOnPrompt()]);
    // Each time the model had answered in between.
    expect(only(events, "retry").map(({ number }) => number)).toEqual([1, 1]);
  });

  it("an API that goes on failing pauses the job", async () => {
    const { run } = await relayedJob({ config: { session: { maxRetries: 1 } } });
    const silent: Part = (session) => session.play(failing, idle);
    const { job } = await run([silent, silent]);
    expect(job).toMatchObject({
      status: "paused",
      pauseCode: "api_failing",
      error: "API Error: 529 Tried again once, without success.",
      sessions: [{ endReason: "failed" }],
    });
  });

  it("a program that dies is started again with the same session", async () => {
    const { run, folder } = await relayedJob();
    const { job, agent, events } = await run([dies, finishes()], {
      on: ({ type }, { agent }) => {
        if (type === "session:starting")
          agent.transcripts.set(agent.sessions[0]?.id ?? "", join(folder, "transcript.jsonl"));
      },
    });
    expect(job).toMatchObject({ status: "completed", handoffs: [], sessions: [{ mode: "resumed" }] });
    const [first, again] = agent.sessions;
    expect(again).toMatchObject({ id: first?.id, resumed: true });
    expect(first?.isClosed).toBe(true);
    expect(again?.sent).toEqual([{ text: resumePrompt(), verbatim: true }]);
    expect(only(events, "retry")).toMatchObject([{ message: expect.stringContaining("exit code 137") }]);
    expect(only(events, "session:ended")).toHaveLength(1);
  });

  it("a program that dies and leaves no transcript is replaced, on the facts", async () => {
    const { run } = await relayedJob();
    const { job } = await run([dies, finishes()]);
    expect(job).toMatchObject({
      status: "completed",
      sessions: [{ endReason: "interrupted" }, { mode: "continuation", endReason: "completed" }],
      handoffs: [{ trigger: "lost", source: "facts", reason: "the transcript of the session is gone" }],
    });
  });

  it("a clock that is set forward, or a machine that slept, uses up no limit of time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { run } = await relayedJob({ config: { limits: { durationMs: 3_600_000 } } });
    const sleeps: Part = (session) => {
      vi.setSystemTime(Date.now() + 3 * 24 * 3_600_000);
      session.play(response(20_000), completed(), idle);
    };
    const { job, events } = await run([sleeps]);
    expect(job.status).toBe("completed");
    expect(job.activeMs).toBeLessThan(3_600_000);
    expect(only(events, "clock:moved")).toHaveLength(1);
  });

  it("a usage limit is waited for", async () => {
    const statuses: string[] = [];
    const { run, store, id } = await relayedJob();
    const limited: Part = (session) =>
      session.play(response(10_000), turnEnd({ kind: "limited", message: "5-hour limit" }), idle);
    const { job, events } = await run([limited, finishes()], {
      on: async ({ type }) => {
        if (type === "limit:waiting") statuses.push((await findJob(store, id)).status);
      },
    });
    expect(statuses).toEqual(["waiting"]);
    expect(job).toMatchObject({ status: "completed", waiting: null });
    expect(only(events, "limit:waiting", "limit:over", "message:sent").map(({ type }) => type)).toEqual([
      "message:sent",
      "limit:waiting",
      "limit:over",
      "message:sent",
    ]);
  });

  it("a limit of the user's pauses the job at the next boundary", async () => {
    const { run } = await relayedJob({ config: { limits: { turns: 1 } } });
    const { job } = await run([
      (session) => session.play(response(10_000), toolStart("a"), toolEnd("a"), stopped),
    ]);
    expect(job).toMatchObject({
      status: "paused",
      pauseCode: "limit_reached",
      sessions: [{ endReason: "paused" }],
    });
  });

  it("an account that is refused fails the job, which is not tried again", async () => {
    const { run } = await relayedJob();
    const { job, agent, events } = await run([
      (session) =>
        session.play(
          turnEnd({ kind: "failed", message: "Invalid API key", code: "auth", retryable: false }),
          idle,
        ),
    ]);
    expect(job).toMatchObject({
      status: "failed",
      error: "Invalid API key",
      sessions: [{ endReason: "failed" }],
    });
    expect(agent.sessions.map(({ isClosed }) => isClosed)).toEqual([true]);
    expect(typesOf(events).slice(-2)).toEqual(["session:ended", "job:failed"]);
  });

  it("a folder that is not there fails the job before any program starts", async () => {
    const { folder, store } = await relayedJob();
    const { run } = await relayedJob({ folder: join(folder, "gone") }, store);
    const { job, agent } = await run([]);
    expect(job).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/does not exist/),
      sessions: [],
    });
    expect(agent.sessions).toEqual([]);
  });
});

describe("a job that is ended from outside", () => {
  it("ends its session first, keeps its uncommitted work, and has the cancellation as its last word", async () => {
    const { repo } = await createRepository();
    const { run, id } = await relayedJob({ folder: repo });
    const { job, agent, events, stop } = await run(
      [
        async (session, text) => {
          await writeFile(join(repo, "unsaved.txt"), "half a thought\n");
          await works(session, text);
        },
      ],
      {
        on: ({ type }, running) => {
          if (type === "tool:start") running.stop.abort(new JobCancelled("Cancelled by the user."));
        },
      },
    );
    expect(stop.signal.aborted).toBe(true);
    expect(job).toMatchObject({ status: "cancelled", sessions: [{ endReason: "cancelled" }] });
    expect(agent.sessions[0]?.isClosed).toBe(true);
    expect(only(events, "session:ended", "checkpoint", "job:cancelled")).toMatchObject([
      { type: "session:ended", reason: "cancelled" },
      { type: "checkpoint", reason: "cancelled" },
      { type: "job:cancelled", message: "Cancelled by the user." },
    ]);
    expect(typesOf(events).at(-1)).toBe("job:cancelled");
    expect(await git(repo, "show", `${job.checkpoint}:unsaved.txt`)).toBe("half a thought");
    expect(job.checkpoint).toContain(id);
  });

  it("by its owner's end is interrupted, and its session can be picked up again", async () => {
    const { run } = await relayedJob();
    const { job, events } = await run([works], {
      on: ({ type }, { stop }) => {
        if (type === "tool:start") stop.abort(new JobInterrupted("Ctrl-C"));
      },
    });
    expect(job).toMatchObject({ status: "interrupted", error: "Ctrl-C", finishedAt: null });
    expect(job.sessions).toMatchObject([{ endReason: "interrupted" }]);
    expect(typesOf(events).at(-1)).toBe("job:interrupted");
  });

  it("while it waits for a limit does not wait any longer", async () => {
    const { run } = await relayedJob();
    const resetsAt = Date.now() + 3_600_000;
    const { job } = await run(
      [(session) => session.play(turnEnd({ kind: "limited", message: "5-hour limit", resetsAt }), idle)],
      {
        on: ({ type }, { stop }) => {
          if (type === "limit:waiting") stop.abort(new JobCancelled("Enough."));
        },
      },
    );
    expect(job).toMatchObject({ status: "cancelled", sessions: [{ endReason: "cancelled" }] });
  });

  it("while a handoff is written ends the next program too, of which nothing is on record", async () => {
    const { run } = await relayedJob();
    const { job, agent } = await run([fillsWindow, () => {}], {
      on: ({ type }, { stop }) => {
        if (type === "handoff:asked") stop.abort(new JobCancelled("Enough."));
      },
    });
    expect(job).toMatchObject({ status: "cancelled", handoffs: [] });
    expect(job.sessions).toHaveLength(1);
    expect(agent.sessions.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it("by another process that took it over writes nothing more, and ends its program", async () => {
    const { run, store, id } = await relayedJob();
    let taken: PlayedSession | undefined;
    const losing = run([
      async (session, text) => {
        await store.db.updateTable("jobs").set({ attempt: 7 }).where("id", "=", id).execute();
        taken = session;
        works(session, text);
      },
    ]);
    await expect(losing).rejects.toMatchObject({ name: "FencedError" });
    expect(taken?.isClosed).toBe(true);
    expect((await findJob(store, id)).status).toBe("running");
  });
});

describe("hooks of the user's", () => {
  it("of before_run keep the job from beginning when one fails", async () => {
    const { run } = await relayedJob({ config: { hooks: { beforeRun: [shellHook("echo no; exit 3")] } } });
    const { job, agent, events } = await run([]);
    expect(job).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/The hook "mine" of before_run failed/),
      sessions: [],
    });
    expect(agent.sessions).toEqual([]);
    expect(only(events, "hook")).toMatchObject([{ point: "before_run", ok: false, exitCode: 3 }]);
  });

  it("of after_run and on_error hear of the end before it is the job's last word", async () => {
    const { run } = await relayedJob({
      config: { hooks: { afterRun: [shellHook("true")], onError: [shellHook("true")] } },
    });
    const { events } = await run([
      (session) =>
        session.play(turnEnd({ kind: "failed", message: "No.", code: "x", retryable: false }), idle),
    ]);
    expect(only(events, "job:closing", "hook", "job:failed")).toMatchObject([
      { type: "job:closing", outcome: "failed" },
      { type: "hook", point: "after_run", event: "failed" },
      { type: "hook", point: "on_error", event: "failed" },
      { type: "job:failed" },
    ]);
  });
});

describe("others who ask for a handoff", () => {
  it("get one at the next boundary, with their focus", async () => {
    const control = new Control();
    const { run } = await relayedJob();
    const obeys: Part = async (session) => {
      session.play(response(10_000), toolStart("a"));
      await session.untilAsked("stopAtBoundary");
      session.play(toolEnd("a"), stopped, idle);
    };
    const { job, agent } = await run([obeys, handsIn, finishes()], {
      control,
      on: ({ type }, { agent }) => {
        if (type === "tool:start" && agent.sessions.length === 1) void control.handOff("the tests");
      },
    });
    expect(job).toMatchObject({ status: "completed", handoffs: [{ trigger: "manual" }] });
    expect(agent.sessions[0]?.sent[1]?.text).toContain("focus on: the tests");
  });

  it("can call it off again", async () => {
    const control = new Control();
    const answers: boolean[] = [];
    const { run } = await relayedJob();
    const spared: Part = async (session) => {
      session.play(response(10_000), toolStart("a"));
      await session.untilAsked("goOn");
      session.play(toolEnd("a"), response(11_000), completed(), idle);
    };
    const { job, events } = await run([spared], {
      control,
      on: async ({ type }) => {
        if (type === "tool:start") await control.handOff();
        if (type === "handoff:requested") answers.push(control.callOff(), control.callOff());
      },
    });
    expect(answers).toEqual([true, false]);
    expect(only(events, "handoff:cancelled")).toMatchObject([{ stage: "waiting" }]);
    expect(job).toMatchObject({ status: "completed", handoffs: [] });
  });

  it("are refused while there is nothing to hand off", async () => {
    const control = new Control();
    const { run } = await relayedJob();
    const { events } = await run([finishes()], {
      control,
      on: async ({ type }) => {
        if (type === "session:starting") await control.handOff();
      },
    });
    expect(only(events, "handoff:refused")).toMatchObject([{ message: "Nothing to hand off yet" }]);
  });

  it("can be the agent itself", async () => {
    const { run } = await relayedJob();
    const asks: Part = async (session) => {
      session.play(response(10_000));
      await session.calls("request_handoff", { reason: "A large step comes." });
      session.play(stopped, idle);
    };
    const { job } = await run([asks, handsIn, finishes()]);
    expect(job).toMatchObject({ status: "completed", handoffs: [{ trigger: "agent" }] });
  });
});

describe("a job with a person in it", () => {
  it("goes on turn by turn until they end it, and its result is the agent's last word", async () => {
    const { run } = await relayedJob();
    const conversation = personWith({ kind: "message", text: "And the second line." }, { kind: "end" });
    const { job, agent, events } = await run([finishes("One line."), finishes("Two lines.")], {
      conversation,
    });
    expect(job).toMatchObject({ status: "completed", result: "Two lines." });
    expect(agent.sessions[0]?.sent.map(({ text }) => text)).toEqual([PROMPT, "And the second line."]);
    expect(only(events, "person:awaited")).toHaveLength(2);
  });

  it("is told of another job that works in its folder, which is told of nobody once that has ended", async () => {
    const first = await relayedJob();
    const second = await relayedJob({ folder: first.folder }, first.store);
    const chat = { conversation: personWith({ kind: "end" }) };
    const meanwhile: Part = async (session) => {
      const { events } = await second.run([finishes()], chat);
      const says = `${first.id} works in ${first.folder}`;
      expect(only(events, "warning")).toMatchObject([{ message: expect.stringContaining(says) }]);
      finishes()(session, "");
    };
    expect((await first.run([meanwhile])).job.status).toBe("completed");
    const third = await relayedJob({ folder: first.folder }, first.store);
    expect(only((await third.run([finishes()])).events, "warning")).toEqual([]);
  });

  it("hands off when they say so, and the next session waits for their word", async () => {
    const { run } = await relayedJob();
    const conversation = personWith(
      { kind: "hand-off", focus: "the tests" },
      { kind: "message", text: "Now test it." },
      { kind: "end" },
    );
    const { job, agent } = await run([finishes(), handsIn, finishes("Tested.")], { conversation });
    expect(job).toMatchObject({ status: "completed", result: "Tested.", handoffs: [{ trigger: "manual" }] });
    expect(agent.sessions[1]?.sent).toHaveLength(1);
    expect(agent.sessions[1]?.sent[0]?.text).toMatch(/<handoff-context-[\s\S]*Now test it\.$/);
  });

  it("is cancelled where they end it after a turn that failed", async () => {
    const { run } = await relayedJob();
    const { job } = await run([fails], { conversation: personWith({ kind: "end" }) });
    expect(job.status).toBe("cancelled");
  });

  it("hands a full window off by itself, and goes on without a word of theirs", async () => {
    const { run } = await relayedJob();
    const { job } = await run([fillsWindow, handsIn, finishes()], {
      conversation: personWith({ kind: "end" }),
    });
    expect(job).toMatchObject({ status: "completed", handoffs: [{ trigger: "threshold" }] });
  });
});
