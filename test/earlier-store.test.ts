import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { EARLIER, restoreProject } from "./earlier-store.ts";
import { baton, ofType, stepsDone, type TestProject, testProject } from "./harness.ts";

/** A project in which an earlier Baton ran five jobs of four steps each, and is no more. */
async function earlierProject(): Promise<TestProject> {
  const project = await testProject({ scenario: steady({ steps: 4 }) });
  await restoreProject(project);
  return project;
}

it("lists, shows and logs the jobs of an earlier Baton", async () => {
  const project = await earlierProject();
  const jobs = JSON.parse((await baton(project, ["jobs", "--json"])).stdout);
  expect(jobs.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [EARLIER.cutOff, "interrupted"],
    [EARLIER.cancelled, "cancelled"],
    [EARLIER.failed, "failed"],
    [EARLIER.paused, "paused"],
    [EARLIER.completed, "completed"],
  ]);

  const show = await baton(project, ["show", EARLIER.completed, "--json"]);
  const documentPath = join(project.folder, ".baton", "handoffs", "handoff-2026-11-16-183402.md");
  expect(JSON.parse(show.stdout)).toMatchObject({
    status: "completed",
    epic: "files",
    result: "All 4 steps are done.",
    sessions: [{ endReason: "handoff" }, { endReason: "completed" }],
    handoffs: [{ number: 1, outcome: "written", documentPath }],
  });
  const costs = jobs.map(({ costUsd }: { costUsd: number | null }) => costUsd?.toFixed(2) ?? null);
  expect(costs).toEqual([null, null, "0.00", "0.02", "0.13"]);
  expect((await baton(project, ["show", EARLIER.failed])).stdout).toContain("The tests are red.");
  expect(JSON.parse((await baton(project, ["handoffs", "--json"])).stdout)).toMatchObject([
    { job: EARLIER.completed, documentPath },
  ]);

  for (const id of Object.values(EARLIER)) {
    const logs = await baton(project, ["logs", id, "--json"]);
    expect(logs.code).toBe(0);
    expect(logs.events.map(({ seq }) => seq)).toEqual(logs.events.map((_, index) => index + 1));
    expect(logs.events[0]).toMatchObject({ type: "job:created", job: id, attempt: 0 });
  }
  expect((await baton(project, ["logs", EARLIER.paused])).stdout).toContain("limits.turns is 3");
});

it.each([
  { was: "paused", id: EARLIER.paused, left: [4] },
  { was: "cancelled", id: EARLIER.cancelled, left: [3, 4] },
  { was: "interrupted", id: EARLIER.cutOff, left: [3, 4] },
])("resumes a job that is $was in its last session, to its end", async ({ was, id, left }) => {
  const project = await earlierProject();
  const before = JSON.parse((await baton(project, ["show", id, "--json"])).stdout);
  expect(before.status).toBe(was);
  const { code, events, stdout } = await baton(project, ["resume", id, "--json"]);
  expect(code, stdout).toBe(0);
  expect(ofType(events, "session:starting")).toMatchObject([
    { session: before.sessions.at(-1).id, mode: "resumed" },
  ]);
  expect(await stepsDone(project)).toEqual(left);
  const after = JSON.parse((await baton(project, ["show", id, "--json"])).stdout);
  expect(after).toMatchObject({ status: "completed", result: "All 4 steps are done." });
  expect(after.sessions).toHaveLength(1);
  expect(after.usage.output).toBeGreaterThan(before.usage.output);
});

it("tries a failed job of an earlier Baton again, with its hooks", async () => {
  const project = await earlierProject();
  const { code, events } = await baton(project, ["resume", EARLIER.failed, "--json"]);
  expect(code).toBe(1);
  expect(ofType(events, "job:failed")).toMatchObject([
    { error: expect.stringContaining("The tests are red.") },
  ]);
});
