import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aHandoff } from "./a-handoff.ts";
import { git } from "./harness.ts";
import {
  call,
  called,
  conversation,
  mcpClient,
  ownProject,
  refusal,
  registered,
  said,
} from "./own-session.ts";

it("shows the orchestrator what its workers report", async () => {
  const project = await ownProject();
  await registered(project, "boss", [], { role: "orchestrator" });
  await registered(project, "w1", []);
  const [boss, worker] = await Promise.all([mcpClient(project, "boss"), mcpClient(project, "w1")]);
  const reported = await call(worker, "report_status", { task: "Login", status: "working" });
  expect(reported).toMatchObject({ orchestrator: "boss", delivery: "on-record" });
  await call(worker, "report_status", { task: "Login", status: "done", branch: "feature/login" });

  expect((await call(boss, "list_workers")).workers).toEqual([
    {
      session: "w1",
      job: null,
      task: "Login",
      status: "done",
      reported: null,
      branch: "feature/login",
      last_update: expect.any(String),
      ended: false,
      context_percent: null,
    },
  ]);
  expect(await project.registry.find("w1")).toMatchObject({ role: "worker" });
});

it("keeps a report for an orchestrator that is just being cleared, and sends it to its next session", async () => {
  const project = await ownProject();
  await registered(project, "boss", [], { role: "orchestrator", handoff: aHandoff("clearing") });
  await registered(project, "w1", []);
  const worker = await mcpClient(project, "w1");
  expect(await call(worker, "report_status", { task: "Login", status: "done" })).toMatchObject({
    orchestrator: "boss",
    delivery: "waits",
  });
  expect((await project.registry.find("boss"))?.mail).toMatchObject([{ from: "w1", text: "Login: done" }]);

  await registered(project, "boss-2", [], { role: "orchestrator", parent: "boss" });
  const takenUp = aHandoff("taken-up", { successor: "boss-2" });
  await registered(project, "boss", [], { role: "orchestrator", handoff: takenUp });
  expect(await call(worker, "report_status", { task: "Login", status: "merged" })).toMatchObject({
    orchestrator: "boss-2",
    delivery: "on-record",
  });
  const { workers } = await call(await mcpClient(project, "boss-2"), "list_workers");
  expect(workers).toMatchObject([{ session: "w1", status: "merged" }]);
});

it("asks which orchestrator is meant where there are two, and refuses one of another repository", async () => {
  const project = await ownProject();
  for (const id of ["a", "b"]) await registered(project, id, [], { role: "orchestrator" });
  await registered(project, "c", [], { role: "orchestrator", cwd: "/", project: "/" });
  await registered(project, "w1", []);
  const worker = await mcpClient(project, "w1");
  const report = { task: "Login", status: "working" };
  expect(await refusal(worker, "report_status", report)).toContain("more than one orchestrator");
  expect(await refusal(worker, "report_status", { ...report, orchestrator: "nobody" })).toContain(
    "No session nobody is on record",
  );
  expect(await refusal(worker, "report_status", { ...report, orchestrator: "c" })).toContain(
    "c works on another repository",
  );
  expect(await refusal(worker, "report_status", { ...report, orchestrator: "w1" })).toContain(
    "w1 is not an orchestrator",
  );
  expect(await call(worker, "report_status", { ...report, orchestrator: "b" })).toMatchObject({
    orchestrator: "b",
  });
});

it("finds no orchestrator of another repository by itself, and one of its own from a worktree", async () => {
  const project = await ownProject();
  await registered(project, "c", [], { role: "orchestrator", cwd: "/", project: "/" });
  const folder = join(project.folder, "..", "worktree");
  await git(project.folder, "worktree", "add", "-q", folder);
  await registered(project, "w1", [], { cwd: folder, project: folder });
  const worker = await mcpClient({ ...project, folder }, "w1");
  const report = { task: "Login", status: "working" };
  expect(await call(worker, "report_status", report)).toMatchObject({
    orchestrator: null,
    message: expect.stringContaining("No orchestrator of this repository"),
  });
  await registered(project, "boss", [], { role: "orchestrator" });
  expect(await call(worker, "report_status", report)).toMatchObject({ orchestrator: "boss" });
  const { workers } = await call(await mcpClient(project, "boss"), "list_workers");
  expect(workers).toMatchObject([{ session: "w1", branch: "worktree" }]);
});

it("reports to the orchestrator that runs, where the one before has ended and nobody took its work up", async () => {
  const project = await ownProject();
  await registered(project, "boss", [], { role: "orchestrator" });
  await registered(project, "w1", []);
  const worker = await mcpClient(project, "w1");
  const report = { task: "Login", status: "working" };
  expect(await call(worker, "report_status", report)).toMatchObject({ orchestrator: "boss" });

  const ended = { at: new Date().toISOString(), reason: "clear" };
  await registered(project, "boss", [], { role: "orchestrator", ended });
  expect(await call(worker, "report_status", report)).toMatchObject({
    orchestrator: "boss",
    delivery: "on-record",
    message: expect.stringContaining("has ended"),
  });
  await registered(project, "boss-2", [], { role: "orchestrator" });
  const boss = await mcpClient(project, "boss-2");
  expect((await call(boss, "list_workers")).workers).toMatchObject([{ session: "w1", status: "working" }]);
  for (const named of [{}, { orchestrator: "boss" }]) {
    expect(await call(worker, "report_status", { ...report, ...named })).toMatchObject({
      orchestrator: "boss-2",
    });
  }
});

it("refuses a report that is too long for a row of the table, and says how long it may be", async () => {
  const project = await ownProject();
  await registered(project, "w1", []);
  const worker = await mcpClient(project, "w1");
  const report = { task: "t".repeat(500), status: "s".repeat(500), branch: "b".repeat(200) };
  await call(worker, "report_status", report);
  for (const [key, most] of Object.entries({ task: 500, status: 500, branch: 200, orchestrator: 200 })) {
    const said = await refusal(worker, "report_status", { ...report, [key]: "x".repeat(most + 1) });
    expect(said).toContain(`At most ${most} characters`);
  }
});

it("tells how full the window is, and how a subagent of an earlier session stands", async () => {
  const project = await ownProject();
  const launched = called("Agent", { description: "Look around", prompt: "look" }, "Async agent launched");
  Object.assign(launched[1] ?? {}, {
    toolUseResult: { status: "async_launched", agentId: "a1b2", description: "Look around" },
  });
  const session = await registered(project, "s1", [...conversation(project.folder), ...launched]);
  await registered(project, "s2", [said("Go on."), ...called("Bash", { command: "ls" }, "notes.txt")], {
    parent: "s1",
  });
  const folder = join((session.transcript ?? "").replace(".jsonl", ""), "subagents");
  await mkdir(folder, { recursive: true });
  const own = {
    type: "assistant",
    isSidechain: true,
    agentId: "a1b2",
    message: {
      id: "m1",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "I found it." }],
      usage: { input_tokens: 5, output_tokens: 7 },
    },
  };
  await writeFile(join(folder, "agent-a1b2.jsonl"), `${JSON.stringify(own)}\n`);
  const client = await mcpClient(project, "s2");

  expect(await call(client, "context_status")).toMatchObject({
    session: "s2",
    tokens: 90_030,
    window: 200_000,
    percent: 45,
    handoff_at_tokens: 163_660,
    handoff: null,
  });
  expect(await call(client, "subagent_status", { agent_id: "a1b2" })).toMatchObject({
    state: "running",
    task: "Look around",
    session: "s1",
    turns: 1,
    tokens: 12,
    last_text: "I found it.",
  });
  const ended = { at: "2026-01-01T00:00:00.000Z", reason: "clear" };
  const gone = { pid: 2 ** 22 + 1, startTime: "1" };
  for (const changes of [{ ended, process: gone }, { process: gone }]) {
    await project.registry.update("s1", () => ({ ...session, ...changes }));
    expect(await call(client, "subagent_status", { agent_id: "a1b2" })).toMatchObject({ state: "stopped" });
  }
  await project.registry.update("s1", () => ({ ...session, ended }));
  expect(await call(client, "subagent_status", { agent_id: "a1b2" })).toMatchObject({ state: "running" });
  const done =
    '<task-notification>\n<task-id>a1b2</task-id>\n<status>completed</status>\n<summary>Agent "Look around" finished</summary>';
  await registered(project, "s1", [...conversation(project.folder), ...launched, said(done)]);
  expect(await call(client, "subagent_status", { agent_id: "a1b2" })).toMatchObject({ state: "completed" });
  for (const agent_id of ["nobody", "../../s1"])
    expect(await refusal(client, "subagent_status", { agent_id })).toContain("No subagent");
});
