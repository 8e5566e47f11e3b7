import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { auditTrail } from "../src/app/access/audit.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { agreeIn } from "./agree.ts";
import { bareProject } from "./bare-project.ts";
import { batonHere } from "./baton-here.ts";
import { comesTo, jobsIn, waits } from "./fleet-jobs.ts";
import { Baton, baton, testProject } from "./harness.ts";
import { call, mcpClient } from "./own-session.ts";
import { eventually } from "./panes.ts";

it("records commands that change something: who, what, on what, from where, and what became of it", async () => {
  const where = await bareProject("default_prompt: Go");
  agreeIn(where);
  vi.stubEnv("XDG_STATE_HOME", join(where.env.HOME ?? "", ".local", "state"));
  await batonHere(where, ["trigger", "coder"]);
  const { stdout } = await batonHere(where, ["jobs", "--json"]);
  const { id } = JSON.parse(stdout)[0];
  await batonHere(where, ["send", id, "The password is hunter2"]);
  await batonHere({ ...where, env: { ...where.env, BATON_JOB_ID: "job-1" } }, ["cancel", id]);
  await batonHere(where, ["cancel", "nothing"]);
  const trail = auditTrail({ limit: 10, projects: [where.folder] }).toReversed();
  expect(trail.map(({ who, what, target, outcome }) => [who, what, target, outcome])).toEqual([
    ["person", "trigger", "coder", "done"],
    ["person", "send", id, "done"],
    ["agent:job-1", "cancel", id, "done"],
    ["person", "cancel", "nothing", expect.stringMatching(/^refused: .*nothing/)],
  ]);
  expect(trail[0]).toMatchObject({ origin: "command line", project: where.folder });
  expect(JSON.stringify(trail)).not.toContain("hunter2");
});

it("records the jobs that a person, a fleet and a session start, by their ids, and what was refused before there was one", async () => {
  const where = await testProject({ scenario: steady({ steps: 1 }) });
  vi.stubEnv("XDG_STATE_HOME", join(where.env.HOME ?? "", ".local", "state"));
  await baton(where, ["trust", "--yes"]);
  expect((await baton(where, ["run", "My secret plan"])).code).toBe(0);
  const [first] = await jobsIn(where);
  await baton(where, ["resume", first?.id ?? ""]);
  const fleet = new Baton(where, ["start", "--no-web"]);
  await eventually("the fleet runs", async () => fleet.stdout.includes("The fleet runs"));
  const client = await mcpClient(where, "orchestrator");
  const { job } = await call(client, "start_job", { prompt: "Another secret plan" });
  await comesTo(where, { completed: 2 });
  await baton(where, ["stop"]);
  await fleet.exit;
  const trail = auditTrail({ limit: 20, projects: [where.folder] }).toReversed();
  expect(trail.map(({ who, what, target, outcome }) => [who, what, target, outcome])).toEqual([
    ["person", "run", first?.id, "done"],
    ["person", "resume", null, expect.stringMatching(/^refused: .*completed/)],
    ["person", "start", null, "done"],
    ["agent", "start_job", job, "done"],
    ["person", "stop", null, "done"],
  ]);
  expect(trail[3]).toMatchObject({ origin: "mcp" });
  expect(JSON.stringify(trail)).not.toContain("secret plan");
});

it("says `begun` of what was killed, with the job that it had begun", async () => {
  const where = await testProject({ scenario: waits });
  vi.stubEnv("XDG_STATE_HOME", join(where.env.HOME ?? "", ".local", "state"));
  const running = new Baton(where, ["run", "Go"]);
  await comesTo(where, { running: 1 });
  await running.kill();
  const [job] = await jobsIn(where);
  expect(auditTrail({ limit: 1 })).toMatchObject([{ what: "run", target: job?.id, outcome: "begun" }]);
});
