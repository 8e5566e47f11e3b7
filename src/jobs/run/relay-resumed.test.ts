import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { write } from "../../../test/job-worktree.ts";
import { type Changes, only, PROMPT, typesOf } from "../../../test/played-job.ts";
import { personWith, relayedJob } from "../../../test/played-relay.ts";
import { account, fillsWindow, finishes, handsIn } from "../../../test/played-session.ts";
import { emptyAccount } from "../../handoff/account.ts";
import { resumePrompt } from "../../handoff/continuation.ts";
import { renderAccount } from "../../handoff/markdown.ts";
import type { JobEvent, SessionEnd } from "../../job/events.ts";
import { keptSession } from "../../store/kept-sessions.ts";

const started: JobEvent = { type: "job:started", pid: 1, marker: "an earlier owner" };
const begun: JobEvent = { type: "session:starting", session: "old", ordinal: 1, mode: "fresh" };
const told: JobEvent = { type: "message:sent", session: "old", kind: "request", text: PROMPT };
const answered: JobEvent = {
  type: "response",
  session: "old",
  model: "claude-sonnet-4-5",
  usage: { input: 120_000, output: 0, cacheRead: 0, cacheWrite: 0 },
  context: { tokens: 120_000, window: 200_000, percent: 60 },
};
const ended = (reason: SessionEnd): JobEvent => ({ type: "session:ended", session: "old", reason });
const cutOff: JobEvent = { type: "job:interrupted", message: "killed" };
const handingOff: JobEvent = {
  type: "context:handoff:start",
  agentName: "claude",
  jobId: "",
  oldSessionId: "old",
  usagePercent: 0.6,
  inputTokens: 120_000,
  contextWindow: 200_000,
  trigger: "threshold",
  handoffNumber: 1,
};
const stored = (documentPath: string): JobEvent => ({
  type: "handoff:stored",
  handoffNumber: 1,
  session: "old",
  source: "agent",
  outcome: "written",
  checks: [],
  documentPath,
  durationMs: 1,
});
const COMPLETE: JobEvent = {
  type: "context:handoff:complete",
  agentName: "claude",
  jobId: "",
  oldSessionId: "old",
  newSessionId: "new",
  handoffNumber: 1,
};
const atWork = [started, begun, told, answered];
/** A call that the transcript below knows nothing of but its start. */
const installed: JobEvent[] = [
  { type: "tool:start", session: "old", id: "t1", name: "Bash", does: "command", summary: "make install" },
  { type: "tool:end", session: "old", id: "t1", ok: true, output: "installed 42 files" },
];

/** What the agent did in the old session, as its program kept it. */
const TRANSCRIPT = `${JSON.stringify({
  type: "assistant",
  message: {
    id: "m1",
    model: "claude-sonnet-4-5",
    role: "assistant",
    content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "make install" } }],
    usage: { input_tokens: 10, output_tokens: 1 },
  },
})}\n`;

/** An answer of three dollars, which came when nobody listened any more. */
const UNHEARD = `${JSON.stringify({
  type: "assistant",
  message: {
    id: "m2",
    model: "claude-sonnet-4-5",
    role: "assistant",
    content: [{ type: "text", text: "Installed." }],
    usage: { input_tokens: 100_000, output_tokens: 180_000 },
  },
})}\n`;

/** A job with this life behind it, whose last session has a transcript. */
async function jobAfter(...events: JobEvent[]) {
  return jobWith({}, ...events);
}

async function jobWith(config: Changes, ...events: JobEvent[]) {
  const job = await relayedJob({ config });
  await job.lived(...events);
  const path = join(job.folder, "old.jsonl");
  await writeFile(path, TRANSCRIPT);
  return { ...job, transcripts: { old: path } };
}

describe("a job that was cut off", () => {
  it("before its session was told anything begins afresh in another", async () => {
    const { run, transcripts } = await jobAfter(started, begun, cutOff);
    const { job, agent, events } = await run([finishes()], { transcripts });
    expect(job).toMatchObject({
      status: "completed",
      sessions: [
        { id: "old", endReason: "interrupted" },
        { ordinal: 2, mode: "fresh", endReason: "completed" },
      ],
    });
    expect(agent.sessions.map(({ resumed, sent }) => ({ resumed, sent }))).toEqual([
      { resumed: false, sent: [{ text: PROMPT, verbatim: false }] },
    ]);
    expect(only(events, "session:ended", "session:starting").map(({ type }) => type)).toEqual([
      "session:ended",
      "session:starting",
      "session:ended",
    ]);
  });

  it("at work picks its session up again, and tells it so", async () => {
    const { run, transcripts } = await jobAfter(...atWork, cutOff);
    const { job, agent } = await run([finishes()], { transcripts });
    expect(agent.sessions).toMatchObject([
      { id: "old", resumed: true, sent: [{ text: resumePrompt(), verbatim: true }] },
    ]);
    expect(job).toMatchObject({
      status: "completed",
      turns: 2,
      handoffs: [],
      sessions: [{ id: "old", mode: "resumed", endReason: "completed" }],
    });
  });

  it("at work knows from the transcript what it did before", async () => {
    const { run, transcripts } = await jobAfter(...atWork, cutOff);
    const { job, agent } = await run([fillsWindow, handsIn, finishes()], { transcripts });
    expect(job.status).toBe("completed");
    expect(agent.sessions[1]?.sent[0]?.text).toContain("make install");
  });

  it("is told which calls had ended that its program does not know of, in the words of the journal", async () => {
    const { run, transcripts } = await jobAfter(...atWork, ...installed, cutOff);
    const { agent, job } = await run([fillsWindow, handsIn, finishes()], { transcripts });
    const [old, next] = agent.sessions;
    expect(old?.sent[0]?.text).toMatch(
      /<ended-calls-\w+>\n- Bash make install: succeeded, and printed:\n {2}installed 42 files\n<\/ended-calls-\w+>/,
    );
    expect(next?.sent[0]?.text).toContain("`make install` (ok)");
    expect(job.status).toBe("completed");
  });

  it("is told nothing of calls whose results its program has, nor of Baton's own tools", async () => {
    const own: JobEvent[] = installed.map((event) =>
      event.type === "tool:start" ? { ...event, id: "t2", does: "own" } : { ...event, id: "t2" },
    ) as JobEvent[];
    const { run, transcripts } = await jobAfter(...atWork, ...installed, ...own, cutOff);
    const result = { type: "tool_result", tool_use_id: "t1", content: "installed 42 files" };
    const entry = { type: "user", message: { role: "user", content: [result] } };
    await appendFile(transcripts.old, `${JSON.stringify(entry)}\n`);
    const { agent } = await run([finishes()], { transcripts });
    expect(agent.sessions[0]?.sent[0]?.text).toBe(resumePrompt());
  });

  it("while its handoff was written is asked for it with the calls that had ended", async () => {
    const { run, transcripts } = await jobAfter(...atWork, ...installed, handingOff, cutOff);
    const { agent } = await run([handsIn, finishes()], { transcripts });
    expect(agent.sessions[0]?.sent[0]?.text).toMatch(/^<handoff-request>[\s\S]*Bash make install: succeeded/);
  });

  it("with a person in it tells its session of them before what they say", async () => {
    const { run, transcripts } = await jobAfter(...atWork, ...installed, cutOff);
    const conversation = personWith({ kind: "message", text: "Go on, please." }, { kind: "end" });
    const { agent } = await run([finishes()], { transcripts, conversation });
    expect(agent.sessions[0]?.sent.map(({ text }) => text)).toEqual([
      expect.stringMatching(/Bash make install: succeeded[\s\S]*Go on, please\./),
    ]);
  });

  it("in a session whose transcript is gone hands on what the journal knows of its calls", async () => {
    const { run } = await jobAfter(...atWork, ...installed, cutOff);
    const { agent } = await run([finishes()]);
    expect(agent.sessions[0]?.sent[0]?.text).toContain("`make install` (ok)");
  });

  it("in a session whose transcript is gone continues in a new one, on the facts", async () => {
    const { run } = await jobAfter(...atWork, cutOff);
    const { job, agent } = await run([finishes()]);
    expect(agent.sessions).toMatchObject([{ resumed: false }]);
    expect(job).toMatchObject({
      status: "completed",
      sessions: [{ id: "old", endReason: "interrupted" }, { mode: "continuation" }],
      handoffs: [{ fromSession: "old", trigger: "lost", source: "facts" }],
    });
  });

  it("in a session after a handoff that its program cannot resume continues on what that session did", async () => {
    const { run, lived, folder } = await relayedJob({ config: { session: { maxHandoffsPerJob: 1 } } });
    await write(folder, { "handoff.md": renderAccount(account), "new.jsonl": TRANSCRIPT });
    const next: JobEvent = { type: "session:starting", session: "new", ordinal: 2, mode: "continuation" };
    const asked: JobEvent = { type: "message:sent", session: "new", kind: "continuation", text: "…" };
    const handedOver = [...atWork, handingOff, stored(join(folder, "handoff.md")), ended("handoff")];
    await lived(...handedOver, next, COMPLETE, asked, { ...answered, session: "new" }, cutOff);
    const transcripts = { new: join(folder, "new.jsonl") };
    const { job, agent } = await run([finishes()], { transcripts, abilities: { resume: false } });
    expect(job).toMatchObject({
      status: "completed",
      handoffs: [
        { number: 1 },
        {
          fromSession: "new",
          trigger: "lost",
          source: "facts",
          reason: "the session was cut off, and its program cannot resume one",
        },
      ],
    });
    expect(agent.sessions).toMatchObject([{ resumed: false }]);
    expect(agent.sessions[0]?.sent[0]?.text).toContain("make install");
    expect(agent.sessions[0]?.sent[0]?.text).toContain("- The first line is written");
  });

  it("with an overflowed window continues in a new session, on the facts of the transcript", async () => {
    const { run, transcripts } = await jobAfter(...atWork, ended("out-of-context"), cutOff);
    const { job, agent } = await run([finishes()], { transcripts });
    expect(agent.sessions).toMatchObject([{ resumed: false }]);
    expect(agent.sessions[0]?.sent[0]?.text).toContain("make install");
    expect(job.handoffs).toMatchObject([{ trigger: "overflow", source: "facts" }]);
  });

  it("while its handoff was written asks the old session for it again", async () => {
    const { run, transcripts } = await jobAfter(...atWork, handingOff, cutOff);
    const { job, agent } = await run([handsIn, finishes()], { transcripts });
    const [old, next] = agent.sessions;
    expect(old).toMatchObject({ id: "old", resumed: true });
    expect(old?.sent.map(({ text }) => text)).toEqual([expect.stringContaining("<handoff-request>")]);
    expect(job).toMatchObject({
      status: "completed",
      handoffs: [{ number: 1, fromSession: "old", trigger: "resume", source: "agent", toSession: next?.id }],
    });
  });

  it("after its handoff was stored begins the next session from it, and asks nobody", async () => {
    const { run, lived, folder } = await relayedJob();
    const path = join(folder, "handoff.md");
    await write(folder, { "handoff.md": renderAccount(account) });
    await lived(...atWork, handingOff, stored(path), ended("handoff"), cutOff);
    const { job, agent } = await run([finishes()]);
    expect(agent.sessions).toMatchObject([{ resumed: false, sent: [{ verbatim: true }] }]);
    expect(agent.sessions[0]?.sent[0]?.text).toContain(account.currentState);
    expect(job).toMatchObject({
      status: "completed",
      sessions: [{ id: "old" }, { ordinal: 2, mode: "continuation" }],
      handoffs: [{ number: 1, toSession: agent.sessions[0]?.id }],
    });
  });

  it("while it was closed is only closed", async () => {
    const { run } = await jobAfter(
      ...atWork,
      ended("completed"),
      { type: "job:closing", outcome: "completed", text: "All is done." },
      cutOff,
    );
    const { job, agent, events } = await run([]);
    expect(agent.sessions).toEqual([]);
    expect(job).toMatchObject({ status: "completed", result: "All is done." });
    expect(typesOf(events).at(-1)).toBe("job:completed");
    expect(only(events, "session:starting")).toEqual([]);
  });

  it("is not asked about by before_run a second time", async () => {
    const hook = { type: "shell", command: "exit 1", continueOnError: false, timeoutMs: 10_000 } as const;
    const job = await relayedJob({ config: { hooks: { beforeRun: [hook] } } });
    await job.lived(started, begun, cutOff);
    const { job: after, events } = await job.run([finishes()]);
    expect(after.status).toBe("completed");
    expect(only(events, "hook")).toEqual([]);
  });

  it("with a person in it waits for their word before its session does anything", async () => {
    const { run, transcripts } = await jobAfter(...atWork, cutOff);
    const conversation = personWith({ kind: "message", text: "Go on, please." }, { kind: "end" });
    const { job, agent } = await run([finishes()], { transcripts, conversation });
    expect(job.status).toBe("completed");
    expect(agent.sessions[0]).toMatchObject({ id: "old", resumed: true });
    expect(agent.sessions[0]?.sent.map(({ text }) => text)).toEqual(["Go on, please."]);
  });
});

describe("a job whose owner was killed before it heard the answer that reached a cap", () => {
  const budget = { per: "month", action: "pause", simulated: false } as const;

  it.each([
    ["limits.turns", { limits: { turns: 2 } }, "limit_reached", "The job has taken 2 turns"],
    ["limits.cost_usd", { limits: { costUsd: 2.9 } }, "limit_reached", "The job has cost an estimated $3.00"],
    ["a budget", { budgets: [{ ...budget, costUsd: 2.9 }] }, "budget", "an estimated $3.00 since"],
  ] as const)("asks for nothing more: %s", async (_, config, pauseCode, words) => {
    const { run, transcripts } = await jobWith({ ...config } as Changes, ...atWork, cutOff);
    await appendFile(transcripts.old, UNHEARD);
    const { job, agent } = await run([], { transcripts });
    expect(job).toMatchObject({
      status: "paused",
      pauseCode,
      turns: 2,
      error: expect.stringContaining(words),
    });
    expect(agent.sessions).toEqual([]);
  });

  it("nor for a handoff that was under way, nor in a session that follows", async () => {
    const config: Changes = { limits: { turns: 2 } };
    const handing = await jobWith(config, ...atWork, handingOff, cutOff);
    await appendFile(handing.transcripts.old, UNHEARD);
    expect((await handing.run([], handing)).agent.sessions).toEqual([]);
    const overflowed = await jobWith(config, ...atWork, ended("out-of-context"), cutOff);
    await appendFile(overflowed.transcripts.old, UNHEARD);
    expect((await overflowed.run([], overflowed)).agent.sessions).toEqual([]);
  });

  it("continues where neither is reached, with what was not heard counted", async () => {
    const config: Changes = { limits: { costUsd: 5 }, budgets: [{ ...budget, costUsd: 5 }] };
    const { run, transcripts } = await jobWith(config, ...atWork, cutOff);
    await appendFile(transcripts.old, UNHEARD);
    const { job, agent } = await run([finishes()], { transcripts });
    expect(job).toMatchObject({ status: "completed", turns: 3 });
    expect(agent.sessions).toMatchObject([{ id: "old", resumed: true }]);
  });
});

describe("a job that had paused", () => {
  it("has its allowance again, and continues from the handoff that it paused after", async () => {
    const job = await relayedJob({ config: { session: { maxHandoffsPerJob: 0 } } });
    expect((await job.run([fillsWindow, handsIn])).job.status).toBe("paused");
    await job.lived({ type: "job:resumed", message: "Resumed." });
    const { job: after, agent } = await job.run([finishes()]);
    expect(after).toMatchObject({ status: "completed", handoffs: [{ toSession: agent.sessions[0]?.id }] });
    expect(after.sessions).toMatchObject([{ endReason: "handoff" }, { ordinal: 2, mode: "continuation" }]);
  });
});

describe("a job whose document", () => {
  const handedOver = (path: string) => [...atWork, handingOff, stored(path), ended("handoff"), cutOff];

  it("was archived meanwhile continues from it there", async () => {
    const { run, lived, folder } = await relayedJob();
    await write(folder, { "archive/handoff.md": renderAccount(account) });
    await lived(...handedOver(join(folder, "handoff.md")));
    const { job, agent } = await run([finishes()]);
    expect(job.status).toBe("completed");
    expect(agent.sessions[0]?.sent[0]?.text).toContain(account.currentState);
    expect(agent.sessions[0]?.sent[0]?.text).toContain(join(folder, "archive", "handoff.md"));
  });

  it("is deleted continues from another one, made from what the journal holds", async () => {
    const { run, lived, folder } = await relayedJob();
    await lived(...handedOver(join(folder, "handoff.md")));
    const { job, agent, events } = await run([finishes()]);
    expect(job).toMatchObject({
      status: "completed",
      handoffs: [
        { number: 1 },
        { number: 2, source: "facts", reason: "the session had handed over, and its document is deleted" },
      ],
    });
    expect(only(events, "warning")).toMatchObject([
      { message: expect.stringContaining("handoff 1 is deleted") },
    ]);
    expect(agent.sessions[0]?.sent[0]?.text).toContain(PROMPT);
  });

  it("is written after another that was archived knows what that one said, also from facts", async () => {
    const { run, lived, folder } = await relayedJob();
    const said = { ...account, decisions: [{ decision: "Use YAML", reason: "people edit it" }] };
    await write(folder, { "archive/handoff.md": renderAccount(said) });
    const next: JobEvent = { type: "session:starting", session: "new", ordinal: 2, mode: "continuation" };
    const work = { ...answered, session: "new" };
    const asked: JobEvent = { type: "message:sent", session: "new", kind: "continuation", text: "…" };
    const over: JobEvent = { type: "session:ended", session: "new", reason: "out-of-context" };
    const before = handedOver(join(folder, "handoff.md"));
    await lived(...before, started, next, COMPLETE, asked, ...Array(20).fill(work), over, cutOff);
    const { agent } = await run([finishes()], { transcripts: { new: join(folder, "new.jsonl") } });
    expect(agent.sessions[0]?.sent[0]?.text).toContain("- Use YAML\n  Reason: people edit it");
  });
});

describe("a job that continues another", () => {
  it("begins with the document, and with the prompt beside it", async () => {
    const place = await relayedJob();
    await write(place.folder, {
      "notes.md": renderAccount({ ...emptyAccount(), goal: "Ship it.", nextSteps: ["Tag the release."] }),
    });
    const setting = { folder: place.folder, continues: join(place.folder, "notes.md") };
    const { run } = await relayedJob(setting, place.store);
    const { job, agent } = await run([finishes()]);
    expect(job).toMatchObject({ status: "completed", sessions: [{ mode: "continuation" }], handoffs: [] });
    expect(agent.sessions[0]?.sent[0]?.text).toContain("Tag the release.");
    expect(agent.sessions[0]?.sent[0]?.text).toContain(PROMPT);
  });
});

describe("an agent whose jobs share a session", () => {
  const config = { session: { mode: "persistent" as const } };

  it("has the next job continue in the last one's", async () => {
    const first = await relayedJob({ config });
    const one = await first.run([finishes("One.")]);
    const [kept] = one.agent.sessions;
    expect(await keptSession(first.store, "claude", "")).toMatchObject({ session: kept?.id, job: first.id });
    const second = await relayedJob({ config, folder: first.folder }, first.store);
    const transcripts = { [kept?.id ?? ""]: join(first.folder, "kept.jsonl") };
    const two = await second.run([finishes("Two.")], { transcripts });
    expect(two.agent.sessions).toMatchObject([{ id: kept?.id, resumed: true }]);
    expect(two.job).toMatchObject({ status: "completed", result: "Two." });
  });

  it("begins a new one, and says why, where the last one's transcript is gone", async () => {
    const first = await relayedJob({ config });
    await first.run([finishes()]);
    const second = await relayedJob({ config, folder: first.folder }, first.store);
    const { agent, events, job } = await second.run([finishes()]);
    expect(agent.sessions).toMatchObject([{ resumed: false }]);
    expect(only(events, "warning")).toMatchObject([
      { message: expect.stringMatching(/its transcript is gone/) },
    ]);
    expect(job.status).toBe("completed");
  });
});
