import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { Baton, baton, inSmallWindows, smallWindows, testProject } from "./harness.ts";

/** Every line must be JSON. */
function parsed(stdout: string) {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

it("prints every event of the journal, in order and without gaps", async () => {
  const project = await testProject({ scenario: steady({ steps: 2 }) });
  const events = parsed((await baton(project, ["run", "Go", "--json"])).stdout);
  expect(events[0]).toMatchObject({ seq: 1, type: "job:created", prompt: "Go" });
  expect(events[1]).toMatchObject({ seq: 2, type: "job:started" });
  expect(events.at(-1)).toMatchObject({ type: "job:completed" });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  for (const event of events) expect(event).toMatchObject({ at: expect.any(String), job: events[0].job });
  expect(parsed((await baton(project, ["logs", events[0].job, "--json"])).stdout)).toEqual(events);
});

it("shows a job with the keys that are promised, and no others", async () => {
  const agent = `session: { ${smallWindows} }`;
  const project = await testProject({ scenario: inSmallWindows(5), agent });
  expect((await baton(project, ["run", "coder", "Go", "--json"])).code).toBe(0);
  const [listed] = JSON.parse((await baton(project, ["jobs", "--json"])).stdout);
  const { handoffEstimate, ...job } = JSON.parse(
    (await baton(project, ["show", listed.id, "--json"])).stdout,
  );
  // A list does not read journals for an estimate.
  expect(handoffEstimate).toEqual({ costUsd: expect.any(Number), savedUsd: expect.any(Number) });
  expect(job).toEqual(listed);
  expect(Object.keys(job)).toEqual(
    "id agent runsOn status prompt workspace sessions handoffs usage costUsd costEstimated simulatedCostUsd result timeMs createdAt finishedAt".split(
      " ",
    ),
  );
  expect(job.workspace).toMatchObject({ path: project.folder });
  expect(job.sessions.length).toBeGreaterThan(1);
  for (const session of job.sessions) {
    expect(Object.keys(session)).toEqual(
      "id ordinal agent runtime model contextWindow peakTokens turns endReason".split(" "),
    );
  }
  for (const handoff of job.handoffs) {
    // What the last results came to, where there were any.
    expect(Object.keys(handoff).filter((key) => key !== "pendingEstimate")).toEqual(
      "number storedAt fromSession toSession trigger source outcome checks tokens contextWindow percent documentPath durationMs rampUp".split(
        " ",
      ),
    );
  }
  expect(Object.keys(job.usage)).toEqual(["input", "output", "cacheRead", "cacheWrite"]);
});

it("prints JSON alone from every command that runs no job", async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  expect(parsed((await baton(project, ["jobs", "--json"])).stdout)).toEqual([[]]);
  const [findings] = parsed((await baton(project, ["doctor", "--json"])).stdout);
  expect(findings).toContainEqual({ name: "credentials", state: "ok", found: "ANTHROPIC_API_KEY" });
  const [scenarios] = parsed((await baton(project, ["simulate", "--json"])).stdout);
  expect(scenarios).toContainEqual({ name: "steady", summary: expect.any(String) });
  await rm(join(project.folder, "baton.yaml"));
  const path = join(project.folder, "baton.yaml");
  const [written] = parsed((await baton(project, ["--json", "init"])).stdout);
  expect(written).toEqual({ path, permissionMode: "acceptEdits" });
  const [watched] = parsed((await baton(project, ["watch", "--once", "--json"])).stdout);
  expect(watched).toEqual({ at: expect.any(String), watching: [] });
  const [maintained] = parsed((await baton(project, ["maintain", "--json"])).stdout);
  expect(maintained).toMatchObject({ worktrees: [], checkpoints: [] });
});

it("prints the figures of a status line in JSON", async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  const told = {
    session_id: "s-1",
    model: { display_name: "Opus" },
    context_window: { used_percentage: 41.7, context_window_size: 200_000 },
  };
  const line = new Baton(project, ["statusline", "--json"], JSON.stringify(told));
  expect(await line.exit).toMatchObject({ code: 0 });
  expect(parsed(line.stdout)).toEqual([
    {
      line: expect.stringMatching(/^Opus · █+░+ 41/),
      session: "s-1",
      model: "Opus",
      percent: 41,
      contextWindow: 200_000,
    },
  ]);
});

it("cancels and resumes in JSON", async () => {
  const project = await testProject({ scenario: steady({ steps: 2 }), agent: "limits: { turns: 1 }" });
  const { code, events } = await baton(project, ["run", "Go", "--json"]);
  expect(code).toBe(3);
  const id = events[0]?.job ?? "";
  const [cancelled] = parsed((await baton(project, ["cancel", id, "--json"])).stdout);
  expect(cancelled).toMatchObject({ id, status: "cancelled" });
  const resumed = parsed((await baton(project, ["resume", id, "--json"])).stdout);
  expect(resumed[0]).toMatchObject({ seq: expect.any(Number), job: id, type: "job:resumed" });
});
