import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoxNetwork } from "../config/box-config.ts";
import { emptyAccount } from "../handoff/account.ts";
import type { DocumentHead } from "../handoff/document.ts";
import { noFacts } from "../handoff/facts.ts";
import { costInPassing, costInWords } from "./cost.ts";
import type { JobEvent, JobEventType, JournalEvent, PauseCode } from "./events.ts";
import { apply } from "./fold.ts";
import { emptyJob, type Job } from "./job.ts";
import { timeAtWork } from "./limits.ts";
import { jobView } from "./view.ts";

const usage = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 };
const context = (tokens: number) => ({ tokens, window: 200_000, percent: tokens / 2_000 });
const created: JobEvent = {
  type: "job:created",
  agent: "coder",
  prompt: "Do it",
  agentConfig: { model: "m" },
};
const started: JobEvent = { type: "job:started", pid: 7, marker: "mark-7" };
const starting = (session: string, ordinal: number, mode: "fresh" | "continuation" | "resumed" = "fresh") =>
  ({ type: "session:starting", session, ordinal, mode }) as const;
const response = (session: string, tokens: number): Extract<JobEvent, { type: "response" }> => ({
  type: "response",
  session,
  model: "m",
  usage,
  context: context(tokens),
});
const handoffStart = (handoffNumber: number, oldSessionId: string): JobEvent => ({
  type: "context:handoff:start",
  agentName: "coder",
  jobId: "job-1",
  oldSessionId,
  usagePercent: 0.9,
  inputTokens: 180_000,
  contextWindow: 200_000,
  trigger: "threshold",
  handoffNumber,
});
const handoffStored = (handoffNumber: number, session: string): JobEvent => ({
  type: "handoff:stored",
  handoffNumber,
  session,
  source: "agent",
  outcome: "written",
  checks: [],
  documentPath: `/handoffs/${handoffNumber}.md`,
  durationMs: 1200,
});
const handoffComplete = (handoffNumber: number, oldSessionId: string, newSessionId: string): JobEvent => ({
  type: "context:handoff:complete",
  agentName: "coder",
  jobId: "job-1",
  oldSessionId,
  newSessionId,
  handoffNumber,
});

const journal = (events: JobEvent[]): JournalEvent[] =>
  events.map((event, index) => ({
    seq: index + 1,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    job: "job-1",
    attempt: 1,
    ...event,
  }));
const fold = (events: JobEvent[]): Job => journal(events).reduce(apply, emptyJob("job-1"));

describe("a job", () => {
  it("has what results of tools add to its window as an estimate, which no peak knows", () => {
    const ended = (id: string, pending?: number): JobEvent => ({
      type: "tool:end",
      session: "s1",
      id,
      ok: true,
      output: "",
      ...(pending && { pending }),
    });
    const begun = [starting("s1", 1, "fresh"), response("s1", 20_000)];
    const job = fold([...begun, ended("t1", 4_000), ended("t2", 9_000)]);
    expect(job.context).toEqual({ ...context(20_000), pending: 9_000 });
    expect(job.sessions[0]?.peakTokens).toBe(20_000);
    expect(jobView(job).context).toMatchObject({ tokens: 20_000, pendingEstimate: 9_000 });
    expect(fold([...begun, ended("t1", 4_000), response("s1", 23_000)]).context).toEqual(context(23_000));
  });

  it("knows whether the peak of a session is an estimate", () => {
    const about: JobEvent = { ...response("s1", 20_000), context: { ...context(20_000), isEstimate: true } };
    const peak = (...events: JobEvent[]) => fold([starting("s1", 1, "fresh"), ...events]).sessions[0];
    expect(peak(response("s1", 10_000), about)).toMatchObject({ peakTokens: 20_000, peakIsEstimate: true });
    expect(peak(about, response("s1", 30_000))).toMatchObject({ peakTokens: 30_000, peakIsEstimate: false });
    expect(peak(about, response("s1", 10_000))).toMatchObject({ peakTokens: 20_000, peakIsEstimate: true });
  });

  it("keeps its figure through a response without one", () => {
    const unknown: JobEvent = { type: "response", session: "s1", model: "m", context: context(0) };
    const job = fold([starting("s1", 1, "fresh"), response("s1", 20_000), unknown]);
    expect(jobView(job)).toMatchObject({ usage: { input: expect.any(Number) }, responsesOfUnknownUsage: 1 });
    expect(jobView(fold([starting("s1", 1, "fresh"), unknown])).usage).toBeNull();
    expect(jobView(fold([starting("s1", 1, "fresh")])).usage).toMatchObject({ input: 0, output: 0 });
    expect(job).toMatchObject({ turns: 2, context: context(20_000), usage });
  });

  it("is shown with every session and handoff of its way", () => {
    const job = fold([
      created,
      started,
      { type: "workspace:ready", strategy: "static", path: "/w", branch: "main" },
      starting("a", 1),
      { type: "session:started", session: "a", model: "m", program: "claude 2" },
      { type: "session:known", session: "a", contextWindow: 200_000, transcript: "/t/a.jsonl" },
      { type: "message:sent", session: "a", kind: "request", text: "Do it" },
      response("a", 180_000),
      { type: "subagent:response", session: "a", subagent: "x", model: "m", usage },
      { type: "cost", session: "a", costUsd: 0.25 },
      handoffStart(1, "a"),
      handoffStored(1, "a"),
      { type: "session:ended", session: "a", reason: "handoff" },
      starting("b", 2, "continuation"),
      handoffComplete(1, "a", "b"),
      { type: "session:started", session: "b", model: "m", program: "claude 2" },
      response("b", 30_000),
      response("b", 20_000),
      { type: "cost", session: "b", costUsd: 0.5 },
      { type: "session:ended", session: "b", reason: "completed" },
      { type: "job:completed", result: "Done" },
    ]);
    expect(jobView(job)).toStrictEqual({
      id: "job-1",
      agent: "coder",
      runsOn: "coder",
      status: "completed",
      prompt: "Do it",
      workspace: { path: "/w", branch: "main" },
      sessions: [
        {
          id: "a",
          ordinal: 1,
          agent: "coder",
          model: "m",
          contextWindow: 200_000,
          peakTokens: 180_000,
          turns: 1,
          endReason: "handoff",
        },
        {
          id: "b",
          ordinal: 2,
          agent: "coder",
          model: "m",
          contextWindow: 200_000,
          peakTokens: 30_000,
          turns: 2,
          endReason: "completed",
        },
      ],
      handoffs: [
        {
          number: 1,
          fromSession: "a",
          toSession: "b",
          trigger: "threshold",
          source: "agent",
          tokens: 180_000,
          contextWindow: 200_000,
          percent: 90,
          documentPath: "/handoffs/1.md",
          durationMs: 1200,
          storedAt: "2026-01-01T00:00:11.000Z",
          outcome: "written",
          checks: [],
          rampUp: {
            state: "ended",
            turns: 2,
            tokens: 0,
            seconds: 0,
            costEstimateUsd: null,
            filesReadAgain: { count: 0, paths: [] },
            commandsRepeated: { count: 0, commands: [] },
            editsRedone: { count: 0, paths: [] },
          },
        },
      ],
      usage: { input: 4, output: 80, cacheRead: 1200, cacheWrite: 16_000 },
      costUsd: 0.75,
      costEstimated: false,
      result: "Done",
      timeMs: { setup: 12_000, model: 4_000, handoffs: 4_000 },
      createdAt: "2026-01-01T00:00:00.000Z",
      finishedAt: "2026-01-01T00:00:20.000Z",
    });
  });

  it("counts once the turns of a session that its journal had not heard of", () => {
    const known = (session: string, turns: number): JobEvent => ({ type: "session:known", session, turns });
    const job = fold([
      created,
      starting("a", 1),
      response("a", 10),
      known("a", 4),
      known("a", 3),
      known("b", 9),
      response("a", 20),
    ]);
    expect(job).toMatchObject({ turns: 5, sessions: [{ id: "a", turns: 5 }] });
  });

  it("adds the cost of a resumed session to what the session had cost before", () => {
    const cost = (costUsd: number): JobEvent => ({ type: "cost", session: "a", costUsd });
    const job = fold([
      created,
      starting("a", 1),
      cost(1),
      cost(2),
      starting("a", 1, "resumed"),
      cost(0.25),
      cost(0.5),
    ]);
    expect(job.costUsd).toBe(2.5);
    expect(job.sessions).toHaveLength(1);
  });

  it("has an estimated cost until the program tells its own, each response and each subagent's in it once", () => {
    const cost = (costUsd: number): JobEvent => ({ type: "cost", session: "a", costUsd });
    const priced = (costUsd: number): JobEvent => ({ ...response("a", 10), costUsd });
    const subagent: Extract<JobEvent, { type: "subagent:response" }> = {
      type: "subagent:response",
      session: "a",
      subagent: "x",
      model: "m",
      usage,
    };
    const begun = [created, starting("a", 1), priced(0.25), { ...subagent, costUsd: 0.5 }];
    expect(jobView(fold(begun))).toMatchObject({ costUsd: 0.75, costEstimated: true });
    expect(fold(begun).context?.tokens).toBe(10);
    expect(jobView(fold([...begun, cost(1)]))).toMatchObject({ costUsd: 1, costEstimated: false });
    const killed = [...begun, cost(1), priced(0.25)];
    expect(jobView(fold(killed))).toMatchObject({ costUsd: 1.25, costEstimated: true });
    // What a run that was killed has cost is never told: its estimate stays one.
    const resumed = [...killed, starting("a", 1, "resumed"), priced(0.5), cost(0.75)];
    expect(jobView(fold(resumed))).toMatchObject({ costUsd: 2, costEstimated: true });
  });

  it("has an unknown cost after a response without a price, until the program tells it", () => {
    const begun = [created, starting("a", 1), { ...response("a", 10), costUsd: 1 }, response("a", 20)];
    expect(jobView(fold(begun))).toMatchObject({ costUsd: null, costEstimated: false });
    const told: JobEvent = { type: "cost", session: "a", costUsd: 3 };
    expect(jobView(fold([...begun, told]))).toMatchObject({ costUsd: 3, costEstimated: false });
  });

  it("counts the cost of the turns that its journal had not heard of", () => {
    const known = { type: "session:known" as const, session: "a", turns: 3, missedCostUsd: 0.5 };
    const begun = [created, starting("a", 1), { ...response("a", 10), costUsd: 1 }];
    expect(jobView(fold([...begun, known, known]))).toMatchObject({ costUsd: 1.5, costEstimated: true });
    const { missedCostUsd: _, ...unpriced } = known;
    expect(jobView(fold([...begun, unpriced]))).toMatchObject({ costUsd: null });
  });

  it("costs nothing on the simulator, also where it continues with the real model and back", () => {
    const simulated = { ...response("a", 10), costUsd: 1, simulated: true as const };
    const cost = (costUsd: number): JobEvent => ({ type: "cost", session: "a", costUsd });
    const onSimulator = [created, starting("a", 1), simulated, cost(2)];
    expect(jobView(fold(onSimulator))).toMatchObject({ costUsd: 0, simulatedCostUsd: 2 });
    expect(costInWords(fold(onSimulator))).toBe("sim. $2.00");
    expect(costInPassing(fold(onSimulator))).toBe("$2.00 simulated");

    const paid = [...onSimulator, starting("a", 1, "resumed"), { ...response("a", 20), costUsd: 3 }];
    expect(jobView(fold(paid))).toMatchObject({ costUsd: 3, costEstimated: true, simulatedCostUsd: 2 });
    expect(costInWords(fold(paid))).toBe("est. $3.00 + sim. $2.00");
    expect(costInPassing(fold([...paid, cost(4)]))).toBe("$4.00 + $2.00 simulated");

    const again = [...paid, cost(4), starting("a", 1, "resumed"), simulated];
    expect(jobView(fold(again))).toMatchObject({ costUsd: 4, simulatedCostUsd: 3 });
    expect(jobView(fold([created, starting("a", 1), response("a", 10)]))).not.toHaveProperty(
      "simulatedCostUsd",
    );
  });

  it("is simulated too in the turns that its journal had not heard of", () => {
    const known = { type: "session:known" as const, session: "a", turns: 3, missedCostUsd: 0.5 };
    const missed = fold([created, starting("a", 1), { ...known, simulated: true }]);
    expect(jobView(missed)).toMatchObject({ costUsd: 0, simulatedCostUsd: 0.5 });
  });

  it("lists a handoff only once it is stored, and a second try of the same handoff once", () => {
    const begun = [created, started, starting("a", 1), handoffStart(1, "a")];
    expect(fold(begun)).toMatchObject({ handoffs: [], pendingHandoff: { number: 1 } });
    const twice = fold([...begun, handoffStored(1, "a"), handoffStart(1, "a"), handoffStored(1, "a")]);
    expect(twice).toMatchObject({ handoffs: [{ number: 1, toSession: null }], pendingHandoff: null });
  });

  it("keeps a handoff that waits for room through a pause, and stores it under the same number", () => {
    const unstored: JobEvent = {
      type: "handoff:unstored",
      handoffNumber: 1,
      session: "a",
      source: "agent",
      outcome: "written",
      checks: [],
      durationMs: 5,
      document: { head: {} as DocumentHead, account: emptyAccount(), facts: "" },
      order: [],
    };
    const paused = (code: PauseCode): JobEvent => ({
      type: "job:paused",
      code,
      message: "The disk is full.",
    });
    const resumed: JobEvent = { type: "job:resumed", message: "Resumed." };
    const waiting = [created, started, starting("a", 1), handoffStart(1, "a"), unstored];
    expect(fold([...waiting, paused("limit_reached")]).pendingHandoff).toBeNull();
    const full = [...waiting, paused("no_room"), resumed];
    expect(fold(full).pendingHandoff).toMatchObject({ number: 1, unstored: true });
    const stored = fold([...full, handoffStored(1, "a")]);
    expect(stored).toMatchObject({ pendingHandoff: null, handoffs: [{ number: 1 }] });
    expect(stored.handoffs[0]).not.toHaveProperty("unstored");
  });

  it("knows where a document is and where it was before it was archived", () => {
    const stored = [created, started, starting("a", 1), handoffStart(1, "a"), handoffStored(1, "a")];
    expect(fold(stored).handoffs).toMatchObject([{ documentPath: "/handoffs/1.md", archivedFrom: null }]);
    const to = (documentPath: string): JobEvent => ({
      type: "handoff:archived",
      handoffNumber: 1,
      documentPath,
    });
    const archived = fold([...stored, to("/handoffs/archive/1.md"), to("/handoffs/archive/1-2.md")]);
    expect(archived.handoffs).toMatchObject([
      { documentPath: "/handoffs/archive/1-2.md", archivedFrom: "/handoffs/1.md" },
    ]);
  });

  it("waits for a limit and goes on", () => {
    const waiting = [
      created,
      started,
      starting("a", 1),
      { type: "limit:waiting", session: "a", until: 99, message: "5 hour limit" } as const,
    ];
    expect(fold(waiting)).toMatchObject({ status: "waiting", waiting: { until: 99 } });
    expect(fold([...waiting, { type: "limit:over", session: "a" }])).toMatchObject({
      status: "running",
      waiting: null,
    });
  });

  it("does not count the time in which a person is waited for as time at work", () => {
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    const events: [number, JobEvent][] = [
      [0, created],
      [1, started],
      [2, { type: "message:sent", session: "a", kind: "request", text: "Hello." }],
      [5, { type: "person:awaited", session: "a" }],
      [900, { type: "message:sent", session: "a", kind: "said", text: "Go on." }],
    ];
    const job = events.reduce(
      (folded, [second, event], index) =>
        apply(folded, { seq: index + 1, at: at(second), job: "one", attempt: 1, ...event }),
      emptyJob("one"),
    );
    expect(timeAtWork(job, new Date(at(903)))).toBe(7_000);
  });

  it("says why it is paused, and no longer once it was resumed or cancelled", () => {
    const paused = [created, started, { type: "job:paused", code: "thrash", message: "No room" } as const];
    expect(fold(paused)).toMatchObject({ status: "paused", pauseCode: "thrash" });
    expect(jobView(fold(paused))).toMatchObject({ error: "No room" });
    const resumed = jobView(fold([...paused, { type: "job:resumed", message: "by hand" }]));
    expect(resumed).toMatchObject({ status: "running" });
    expect(resumed).not.toHaveProperty("error");
    const cancelled = jobView(fold([...paused, { type: "job:cancelled", message: "by hand" }]));
    expect(cancelled).toMatchObject({ status: "cancelled" });
    expect(cancelled).not.toHaveProperty("error");
    expect(cancelled).not.toHaveProperty("pauseCode");
  });

  it("counts the time at work, and starts the limits over when it is resumed", () => {
    const paused = fold([
      created,
      started,
      starting("a", 1),
      response("a", 1000),
      { type: "job:paused", code: "limit_reached", message: "4 s" },
    ]);
    expect(paused).toMatchObject({ activeMs: 3000, activeSince: null });
    const event = { job: "job-1", attempt: 2 };
    const resumed = [
      { ...event, seq: 6, at: "2026-01-02T00:00:00.000Z", type: "job:resumed", message: "by hand" } as const,
      { ...event, seq: 7, at: "2026-01-02T00:00:02.000Z", type: "warning", message: "w" } as const,
      {
        ...event,
        seq: 8,
        at: "2026-01-09T00:00:00.000Z",
        type: "job:interrupted",
        message: "killed",
      } as const,
    ].reduce(apply, paused);
    expect(resumed.activeMs).toBe(5000);
    expect(resumed.allowance).toEqual({ costUsd: 0, turns: 1, activeMs: 3000, handoffs: 0 });
  });

  it("still shows after a crash what was at work", () => {
    const job = fold([
      created,
      started,
      starting("a", 1),
      { type: "tool:start", session: "a", id: "t1", name: "Read", summary: "x" },
      { type: "tool:end", session: "a", id: "t1", ok: true, output: "" },
      { type: "tool:start", session: "a", id: "t2", name: "Bash", summary: "npm test" },
      { type: "tool:start", session: "a", id: "t3", name: "Grep", summary: "y", subagent: "sub" },
      { type: "background", session: "a", tasks: [{ id: "b", kind: "shell", description: "server" }] },
      { type: "job:interrupted", message: "killed" },
    ]);
    expect(job).toMatchObject({ status: "interrupted", marker: "mark-7" });
    expect(job.tools.map((tool) => tool.name)).toEqual(["Bash"]);
    expect(job.background).toHaveLength(1);
  });
});

describe("any history of a job", () => {
  const session = fc.constantFrom("a", "b", "c");
  const text = fc.string({ maxLength: 8 });
  const count = fc.nat({ max: 300_000 });
  const tokens = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count });
  const figures = fc.record({ tokens: count, window: count, percent: fc.double({ min: 0, max: 120 }) });
  const tasks = fc.array(fc.record({ id: text, kind: text, description: text }), { maxLength: 2 });
  const handoffNumber = fc.integer({ min: 1, max: 3 });
  const call = fc.constantFrom("1", "2");
  const digest = fc.constantFrom("aaaaaaaa", "bbbbbbbb");
  const handoff = { agentName: text, jobId: text, oldSessionId: session, handoffNumber };
  const type = <T extends JobEventType>(name: T) => ({ type: fc.constant(name) });

  const samples: { [T in JobEventType]: fc.Arbitrary<Extract<JobEvent, { type: T }>> } = {
    "job:created": fc.record({
      ...type("job:created"),
      agent: text,
      prompt: text,
      agentConfig: fc.record({ model: text }),
    }),
    "job:queued": fc.record({ ...type("job:queued"), priority: fc.integer({ min: -9, max: 9 }) }),
    "agent:switched": fc.record(
      {
        ...type("agent:switched"),
        from: text,
        to: text,
        reason: fc.constantFrom("usage_limit", "no_access", "reset", "manual"),
        message: text,
        until: count,
      },
      { requiredKeys: ["type", "from", "to", "reason", "message"] },
    ),
    "job:started": fc.record({ ...type("job:started"), pid: count, marker: text }),
    "job:interrupted": fc.record({ ...type("job:interrupted"), message: text }),
    "job:reported": fc.record({ ...type("job:reported"), session: text, status: text }),
    "job:resumed": fc.record({ ...type("job:resumed"), message: text }),
    "job:completed": fc.record({ ...type("job:completed"), result: text }),
    "job:failed": fc.record({ ...type("job:failed"), error: text }),
    "job:paused": fc.record({
      ...type("job:paused"),
      code: fc.constantFrom("max_handoffs", "thrash", "stalled"),
      message: text,
    }),
    "job:cancelled": fc.record({ ...type("job:cancelled"), message: text }),
    "workspace:ready": fc.record({ ...type("workspace:ready"), strategy: text, path: text, branch: text }),
    "job:closing": fc.record({
      ...type("job:closing"),
      outcome: fc.constantFrom("completed", "failed", "cancelled"),
      text,
    }),
    "workspace:creating": fc.record({
      ...type("workspace:creating"),
      repo: text,
      path: text,
      branch: text,
      base: text,
      baseBranch: text,
      takenUp: fc.boolean(),
    }),
    "workspace:waiting": fc.record({ ...type("workspace:waiting"), behind: text, message: text }),
    "workspace:command": fc.record({
      ...type("workspace:command"),
      command: text,
      ok: fc.boolean(),
      output: text,
      durationMs: count,
    }),
    "workspace:committed": fc.record({ ...type("workspace:committed"), commit: text, files: count }),
    "workspace:pushing": fc.record({
      ...type("workspace:pushing"),
      remote: text,
      branch: text,
      commit: text,
    }),
    "workspace:pushed": fc.record({ ...type("workspace:pushed"), remote: text, branch: text, commit: text }),
    "workspace:proposed": fc.record({ ...type("workspace:proposed"), url: text, created: fc.boolean() }),
    "workspace:removing": fc.record({ ...type("workspace:removing"), trash: text, deleteBranch: text }),
    "workspace:removed": fc.record({ ...type("workspace:removed"), branchKept: fc.boolean() }),
    "checkpoints:removed": fc.record({ ...type("checkpoints:removed"), refs: fc.array(text), remote: text }),
    "workspace:keeping": fc.record({ ...type("workspace:keeping"), paths: fc.array(text) }),
    "workspace:ignored": fc.record({
      ...type("workspace:ignored"),
      files: fc.array(
        fc.record({ path: text, files: fc.nat(), bytes: fc.nat(), to: fc.constant("nowhere" as const) }),
      ),
      more: fc.boolean(),
    }),
    "workspace:kept": fc.record({ ...type("workspace:kept"), reason: text }),
    "session:starting": fc.record({
      ...type("session:starting"),
      session,
      ordinal: count,
      mode: fc.constantFrom("fresh", "continuation", "resumed"),
    }),
    "session:started": fc.record({ ...type("session:started"), session, model: text, program: text }),
    "session:known": fc.record({ ...type("session:known"), session, contextWindow: count, transcript: text }),
    "session:ended": fc.record({
      ...type("session:ended"),
      session,
      reason: fc.constantFrom("completed", "handoff", "failed"),
    }),
    "message:sent": fc.record({
      ...type("message:sent"),
      session,
      kind: fc.constantFrom("request", "continuation", "resume"),
      text,
    }),
    "message:delivered": fc.record({ ...type("message:delivered"), session, queued: fc.array(fc.nat()) }),
    "pause:requested": fc.record(type("pause:requested")),
    "pause:refused": fc.record({ ...type("pause:refused"), message: text }),
    "stall:suspected": fc.record({
      ...type("stall:suspected"),
      session,
      quietMs: fc.nat(),
      actsInMs: fc.nat(),
      watched: fc.constant(["events" as const]),
    }),
    "stall:over": fc.record({
      ...type("stall:over"),
      session,
      outcome: fc.constantFrom("alive", "ended"),
      quietMs: fc.nat(),
    }),
    "circles:suspected": fc.record({
      ...type("circles:suspected"),
      session,
      kind: fc.constantFrom("commands", "edits", "tests"),
      what: text,
      times: fc.nat(),
      since: fc.nat(),
    }),
    response: fc.record({ ...type("response"), session, model: text, usage: tokens, context: figures }),
    "subagent:response": fc.record({
      ...type("subagent:response"),
      session,
      subagent: text,
      model: text,
      usage: tokens,
    }),
    text: fc.record({ ...type("text"), session, text }),
    "tool:start": fc.record({
      ...type("tool:start"),
      session,
      id: call,
      name: text,
      does: fc.constantFrom("read", "command", "write", "other"),
      summary: text,
      digest,
      removed: fc.array(digest, { maxLength: 2 }),
      added: fc.array(digest, { maxLength: 2 }),
    }),
    "tool:end": fc.record({
      ...type("tool:end"),
      session,
      id: call,
      ok: fc.boolean(),
      output: text,
      digest,
    }),
    "todos:changed": fc.record({
      ...type("todos:changed"),
      session,
      todos: fc.array(fc.record({ id: text, text, status: text })),
    }),
    "ask:made": fc.record({
      ...type("ask:made"),
      session,
      ask: text,
      call: text,
      name: text,
      summary: text,
      input: text,
      digest: text,
    }),
    "ask:answered": fc.record({
      ...type("ask:answered"),
      ask: text,
      answer: fc.constant({ answer: "once" as const }),
    }),
    "ask:used": fc.record({ ...type("ask:used"), ask: text, call: text }),
    "ask:withdrawn": fc.record({ ...type("ask:withdrawn"), ask: text, message: text }),
    "ask:expired": fc.record({ ...type("ask:expired"), ask: text, message: text }),
    "tool:permitted": fc.record({ ...type("tool:permitted"), session, id: text, name: text }),
    "tool:denied": fc.record({ ...type("tool:denied"), session, id: text, name: text, message: text }),
    background: fc.record({ ...type("background"), session, tasks }),
    compaction: fc.record({ ...type("compaction"), session, state: fc.constantFrom("start", "done") }),
    cost: fc.record({ ...type("cost"), session, costUsd: fc.double({ min: 0, max: 50, noNaN: true }) }),
    "context:warning": fc.record({ ...type("context:warning"), session, level: count, context: figures }),
    "context:handoff:start": fc.record({
      ...type("context:handoff:start"),
      ...handoff,
      usagePercent: count,
      inputTokens: count,
      contextWindow: count,
      trigger: fc.constantFrom("threshold", "overflow"),
    }),
    "repository:left-out": fc.record({
      ...type("repository:left-out"),
      session,
      files: fc.array(fc.string()),
    }),
    "background:left": fc.record({ ...type("background:left"), session, tasks }),
    "handoff:requested": fc.record({
      ...type("handoff:requested"),
      session,
      by: fc.constantFrom("manual", "agent"),
    }),
    "handoff:refused": fc.record({ ...type("handoff:refused"), message: text }),
    "handoff:failed": fc.record({ ...type("handoff:failed"), session, message: text }),
    "handoff:cancelled": fc.record({
      ...type("handoff:cancelled"),
      session,
      stage: fc.constantFrom("waiting", "writing"),
    }),
    checkpoint: fc.record({ ...type("checkpoint"), ref: text, commit: text, reason: text }),
    "facts:collected": fc.record({ ...type("facts:collected"), handoffNumber, facts: text.map(noFacts) }),
    "handoff:asked": fc.record({ ...type("handoff:asked"), session, handoffNumber }),
    "handoff:stored": fc.record({
      ...type("handoff:stored"),
      handoffNumber,
      session,
      source: fc.constantFrom("agent", "facts", "hook"),
      outcome: fc.constantFrom("written", "mended", "from-facts"),
      checks: fc.constant([]),
      documentPath: text,
      durationMs: count,
    }),
    "journal:compacted": fc.record({
      ...type("journal:compacted"),
      removed: count,
      summary: fc.constant(emptyJob("job-1")),
    }),
    "handoff:unstored": fc.record({
      ...type("handoff:unstored"),
      handoffNumber,
      session,
      source: fc.constantFrom("agent", "facts", "hook"),
      outcome: fc.constantFrom("written", "mended", "from-facts"),
      checks: fc.constant([]),
      durationMs: count,
      document: fc.constant({ head: {} as DocumentHead, account: emptyAccount(), facts: "" }),
      order: fc.constant([]),
    }),
    "handoff:archived": fc.record({ ...type("handoff:archived"), handoffNumber, documentPath: text }),
    "context:handoff:complete": fc.record({
      ...type("context:handoff:complete"),
      ...handoff,
      newSessionId: session,
    }),
    hook: fc.record({
      ...type("hook"),
      point: fc.constantFrom("after_run", "on_session_start"),
      event: fc.constantFrom("completed", "session_start"),
      name: text,
      kind: fc.constantFrom("shell", "webhook"),
      ok: fc.boolean(),
      durationMs: count,
      output: text,
    }),
    "person:awaited": fc.record({ ...type("person:awaited"), session }),
    "limit:waiting": fc.record({ ...type("limit:waiting"), session, until: count, message: text }),
    "limit:over": fc.record({ ...type("limit:over"), session }),
    retry: fc.record({ ...type("retry"), session, number: count, of: count, delayMs: count, message: text }),
    "clock:moved": fc.record({ ...type("clock:moved"), byMs: fc.integer({ min: -1e9, max: 1e9 }) }),
    "box:opened": fc.record({
      ...type("box:opened"),
      agent: text,
      container: fc.record({
        engine: fc.constantFrom("docker", "podman", "bwrap"),
        network: fc.constantFrom<BoxNetwork>({ kind: "api" }, { kind: "allow", hosts: ["example.com"] }),
      }),
    }),
    "box:denied": fc.record({ ...type("box:denied"), host: text }),
    warning: fc.record({ ...type("warning"), message: text }),
  };
  // A compaction brings the fold of its own job along, which no other history comes to.
  const { "journal:compacted": _, ...happening } = samples;
  const anyEvent: fc.Arbitrary<JobEvent> = fc.oneof(...Object.values(happening));
  const history = fc
    .tuple(samples["job:created"], fc.array(anyEvent, { maxLength: 40 }))
    .map((parts) => parts.flat());

  it("folds at every point to a job that can be shown, stored and picked up again", () => {
    fc.assert(
      fc.property(history, (events) => {
        let job = emptyJob("job-1");
        for (const event of journal(events)) {
          const stored: Job = JSON.parse(JSON.stringify(job));
          job = apply(job, event);
          expect(JSON.stringify(apply(stored, event))).toBe(JSON.stringify(job));
          expect(JSON.parse(JSON.stringify(jobView(job)))).toEqual(jobView(job));
        }
        for (const { rampUp } of job.handoffs) {
          if (!rampUp) continue;
          expect(
            Math.min(rampUp.turns, rampUp.tokens ?? 0, rampUp.ms, rampUp.costUsd ?? 0),
          ).toBeGreaterThanOrEqual(0);
          for (const { count, names } of [rampUp.readAgain, rampUp.repeated, rampUp.redone])
            expect(names.length).toBeLessThanOrEqual(count);
        }
        expect(job.turns).toBe(events.filter((event) => event.type === "response").length);
        expect(new Set(job.sessions.map(({ id }) => id)).size).toBe(job.sessions.length);
        expect(new Set(job.handoffs.map(({ number }) => number)).size).toBe(job.handoffs.length);
      }),
      { numRuns: 200 },
    );
  });
});
