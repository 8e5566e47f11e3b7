import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "./a-handoff.ts";
import { Baton, baton, shown, type TestProject, testProject } from "./harness.ts";
import { asksForHandoff, bash, good, handsIn, oneHandoff } from "./one-handoff.ts";
import { call, mcpClient, refusal } from "./own-session.ts";
import { anOwnSession, eventually, registryOf } from "./panes.ts";
import { isRunning } from "./processes.ts";

const reports = (status: string) => ({ tool: "mcp__baton__report_status", input: { status } });
const until = (file: string) => bash(`until [ -e ${file} ]; do sleep 0.02; done; echo ${file}`);

/** A project, and the orchestrator in whose shell its commands run. */
async function orchestrated(...steps: Parameters<typeof oneHandoff>): Promise<TestProject> {
  const project = await testProject({
    scenario: oneHandoff(...steps),
    env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "boss" },
  });
  await has(project, "boss");
  return project;
}

async function has(project: TestProject, id: string, more: Parameters<typeof anOwnSession>[2] = {}) {
  await registryOf(project).update(id, (known) => ({
    ...(known ?? anOwnSession(project, id, { role: "orchestrator" })),
    ...more,
  }));
}

async function workersOf(project: TestProject, id: string) {
  const client = await mcpClient(project, id);
  const { workers } = await call(client, "list_workers");
  return workers as unknown as Record<string, unknown>[];
}

it("lists a job that an orchestrator started, as its journal tells it, and what its agent says", async () => {
  const project = await orchestrated([reports("half done"), until("go")], handsIn({}));
  const running = new Baton(project, ["run", "coder", "Paint the fence", "--json"]);
  const { job } = await running.event(({ type }) => type === "job:reported");
  const about = { job, task: "Paint the fence", reported: "half done", ended: false };
  expect(await workersOf(project, "boss")).toMatchObject([{ ...about, status: "running" }]);

  // The work of both is handed over: that of the job at its boundary, and the orchestrator's meanwhile.
  await has(project, "boss", { handoff: aHandoff("clearing") });
  await writeFile(join(project.folder, "go"), "");
  expect(await running.exit).toMatchObject({ code: 0 });
  const mail = (await registryOf(project).find("boss"))?.mail;
  expect(mail).toMatchObject([{ from: job, text: "Paint the fence: completed; it reported: half done" }]);
  await has(project, "boss", { handoff: aHandoff("taken-up", { successor: "boss-2" }) });
  await has(project, "boss-2", { parent: "boss" });
  expect(await workersOf(project, "boss-2")).toMatchObject([
    { ...about, status: "completed", ended: true, session: (await shown(project)).sessions[1].id },
  ]);
  expect((await baton(project, ["show"])).stdout).toMatch(/^reported +half done$/m);
  const { stdout } = await baton(project, ["status", "boss-2"]);
  expect(stdout).toMatch(/^workers +\w+ +Paint the fence: completed; it reported: half done/m);
});

it("starts one for a session that asks by the tool, in a worktree if it likes", async () => {
  const project = await orchestrated([reports("half done")], handsIn({}));
  const client = await mcpClient(project, "boss");
  const { job } = await call(client, "start_job", { prompt: "Paint the fence", worktree: true });
  await eventually("the end of the job", async () => (await shown(project)).status === "completed");
  expect(await workersOf(project, "boss")).toMatchObject([
    { job, status: "completed", reported: "half done", branch: expect.stringMatching(/^agent\/coder\//) },
  ]);
  expect(await refusal(client, "start_job", { prompt: "Sing", agent: "singer" })).toContain("singer");
  expect(await workersOf(project, "boss")).toHaveLength(1);
});

it("lists one that an orchestrator has put into the queue", async () => {
  const project = await orchestrated([], handsIn({}));
  expect(await baton(project, ["run", "--queue", "Paint the fence"])).toMatchObject({ code: 0 });
  expect(await workersOf(project, "boss")).toMatchObject([
    { task: "Paint the fence", status: "queued", ended: false, session: null },
  ]);
});

it("says of a job whose process was killed that it was interrupted, and follows it when it is resumed", async () => {
  const project = await orchestrated([until("go")], handsIn({}));
  const { stdout } = await baton(project, ["run", "--detach", "--json", "Paint the fence"]);
  const { job, pid } = JSON.parse(stdout);
  onTestFinished(() => void kill(pid));
  expect(await workersOf(project, "boss")).toMatchObject([{ job, ended: false }]);
  kill(pid);
  await eventually("its end", async () => !(await isRunning(pid)));
  const interrupted = { job, status: expect.stringMatching(/^interrupted: Process /), ended: false };
  expect(await workersOf(project, "boss")).toMatchObject([interrupted]);
  await writeFile(join(project.folder, "go"), "");
  // By whomever: it is the orchestrator's for good.
  const env = { ...project.env, CLAUDECODE: "", CLAUDE_CODE_SESSION_ID: "" };
  expect(await baton({ ...project, env }, ["resume", job])).toMatchObject({ code: 0 });
  expect(await workersOf(project, "boss")).toMatchObject([{ job, status: "completed" }]);
});

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

it("lists none that a person started, and offers its agent nobody to report to", async () => {
  const project = await orchestrated([], { say: good.goal });
  const env = { ...project.env, CLAUDECODE: "", CLAUDE_CODE_SESSION_ID: "" };
  expect(await baton({ ...project, env }, ["run", "Paint the fence"])).toMatchObject({ code: 0 });
  expect(await workersOf(project, "boss")).toEqual([]);
  const tools = project.simulator.requests.flatMap(({ request }) => request.tools);
  expect(tools).toContain(asksForHandoff.tool);
  expect(tools).not.toContain("mcp__baton__report_status");
});
