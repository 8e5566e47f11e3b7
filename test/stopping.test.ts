import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { JobCancelled, JobInterrupted } from "../src/jobs/reasons.ts";
import { openStore } from "../src/store/store.ts";
import { bareProject } from "./bare-project.ts";
import { careful, RUN } from "./careful.ts";
import { Baton, baton, ofType, shown, smallWindows, stepsDone, testProject, upTo } from "./harness.ts";
import { runInLibrary } from "./library.ts";
import { SmallAgent, type SmallSession } from "./small-agent.ts";

async function openProject(agent = "") {
  const { folder } = await bareProject(agent);
  const store = await openStore(join(folder, ".baton", "baton.db"));
  onTestFinished(() => store.close());
  return { folder, store };
}

it("what a session says until its end is in the journal, before its end is", async () => {
  const { folder, store } = await openProject();
  const agent = new SmallAgent({
    onClose(session) {
      session.toolEnds();
      session.play({ type: "text", text: "My last words." });
      session.turnEnds({ kind: "interrupted" });
    },
  });
  const job = await runInLibrary(store, folder, { agent });
  await job.event(({ type }) => type === "tool:start");
  job.abort(new JobCancelled("by the test"));
  await job.ended;
  const types = job.events.map(({ type }) => type);
  expect(types.slice(types.indexOf("tool:start"))).toEqual([
    "tool:start",
    "tool:end",
    "text",
    "cost",
    "session:ended",
    "job:cancelled",
  ]);
});

it("a session is told to end in the moment in which its job is, whatever the job is doing then", async () => {
  const { folder, store } = await openProject(
    "hooks: { on_context_threshold: [{ type: shell, command: 'sleep 1000' }] }\nsession: { context_threshold: 60000 }",
  );
  const closing: string[] = [];
  const agent = new SmallAgent({
    onSend: (session) => session.callsTool(70_000),
    onClose: (session) => closing.push(session.id),
  });
  const job = await runInLibrary(store, folder, { agent });
  // Baton waits for the hook now, and not for the agent.
  await job.event(({ type }) => type === "tool:end");
  job.abort(new JobCancelled("by the test"));
  expect(closing).toEqual([agent.sessions[0]?.id]);
  await job.ended;
});

it("turns that only the transcript knows of count between two handoffs", async () => {
  const { folder, store } = await openProject("session: { context_threshold: 60000 }");
  const transcripts = new Map<string, string>();
  const isRequest = (text: string) => text.includes("<handoff-request>");
  const agent = new SmallAgent({
    transcript: (session) => transcripts.get(session),
    onSend(session, { text }) {
      if (isRequest(text)) session.turnEnds({ kind: "completed", text: "" });
      else if (agent.sessions.indexOf(session) === 0) session.callsTool(70_000);
      else session.callsTool();
    },
  });
  const first = await runInLibrary(store, folder, { agent });
  const second = await first.event(({ type, seq }) => type === "tool:start" && seq > handedOff(first.events));
  // Baton is gone before it has heard of four more turns.
  first.abort(new JobInterrupted("by the test"));
  await first.ended;
  if (second.type !== "tool:start") throw new Error("not the event that was asked for");
  const transcript = join(folder, "transcript.jsonl");
  await writeFile(transcript, [1, 2, 3, 4, 5].map((n) => answer(second.session, n)).join(""));
  transcripts.set(second.session, transcript);

  const full = new SmallAgent({
    transcript: (session) => transcripts.get(session),
    onSend(session: SmallSession, { text }) {
      if (isRequest(text)) session.turnEnds({ kind: "completed", text: "" });
      else if (session.id === second.session) session.callsTool(70_000);
      else session.turnEnds({ kind: "completed", text: "All is done." });
    },
  });
  const resumed = await runInLibrary(store, folder, { agent: full, job: first.id });
  expect(await resumed.ended).toMatchObject({ status: "completed", error: null });
  expect(resumed.journal.job.sessions[1]).toMatchObject({ id: second.session, turns: 6 });
});

function handedOff(events: { type: string; seq: number }[]): number {
  return events.find(({ type }) => type === "context:handoff:complete")?.seq ?? Number.POSITIVE_INFINITY;
}

function answer(session: string, number: number): string {
  const usage = { input_tokens: 100 * number, output_tokens: 1 };
  const message = {
    id: `message-${number}`,
    model: "claude-sonnet-4-5",
    role: "assistant",
    content: [],
    usage,
  };
  // Each block of an answer is a line of its own, with the id of the whole.
  const line = JSON.stringify({ type: "assistant", sessionId: session, message });
  return `${line}\n${line}\n`;
}

it("Ctrl-C stops the agent at once: nothing is done that the journal does not tell, and a resume goes on", {
  tags: ["claude"],
}, async () => {
  const STEPS = 7;
  const project = await testProject({
    scenario: careful(STEPS),
    agent: `session: { ${smallWindows} }`,
  });
  const running = new Baton(project, RUN);
  const handed = await running.event(({ type }) => type === "context:handoff:complete");
  await running.event(({ type, seq }) => type === "response" && seq > handed.seq);
  running.child.kill("SIGINT");
  expect(await running.exit).toEqual({ code: 130, signal: null });

  const asked = project.simulator.requests.filter(({ request }) => request.kind === "main").length;
  // The answer that was on its way is cut off.
  expect(asked - ofType(running.events, "response").length).toBeLessThanOrEqual(1);
  const started = ofType(running.events, "tool:start").filter(({ summary }) =>
    summary.includes("step-$n.txt"),
  );
  const ended = ofType(running.events, "tool:end").map(({ id }) => id);
  expect(started.map(({ id }) => id).filter((id) => !ended.includes(id))).toEqual([]);
  const done = await stepsDone(project);
  expect(done.length).toBeLessThanOrEqual(started.length);
  const last = running.events.map(({ type }) => type).lastIndexOf("session:ended");
  expect(running.events.slice(last).filter((event) => "session" in event)).toHaveLength(1);

  const resumed = await baton(project, ["resume", (await shown(project)).id, "--json"]);
  expect(resumed.code, resumed.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
});
