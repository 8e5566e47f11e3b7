import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { gitShim } from "./git-shim.ts";
import { Baton, baton, shown } from "./harness.ts";
import { agentsGone } from "./processes.ts";
import { worktreeProject } from "./worktree.ts";
import {
  expectDelivered,
  expectNextJobStarts,
  killedAtEachCall,
  mend,
  RUN,
  snapshot,
} from "./worktree-killed.ts";

const STEPS = 2;

it("a job that is killed at any step of its teardown delivers its work once", async () => {
  const project = await worktreeProject({ scenario: steady({ steps: STEPS }) });
  const shim = await gitShim(project);
  const first = new Baton({ ...project, env: shim.env }, RUN);
  await first.event(({ type }) => type === "session:started");
  // From here on Baton has nothing to ask git until it closes the job.
  await shim.killAtNext();
  await first.exit;
  await agentsGone(first);
  expect(first.events.at(-1)?.type).toBe("job:closing");
  await shim.arm();
  const { id } = await shown(project);
  const restore = await snapshot(project);
  const resume = ["resume", id, "--json"];
  expect((await baton({ ...project, env: shim.env }, resume)).code).toBe(0);
  const calls = await shim.calls();
  const steps = / add .* commit .* push .* update-ref .* worktree remove .* update-ref .*-d /s;
  expect(calls.join("\n")).toMatch(steps);

  await killedAtEachCall(project, { shim, args: resume, calls }, restore, async ({ job, how, at }) => {
    await mend(project, job, how, at);
    await expectDelivered(project, STEPS, at);
  });
  await expectNextJobStarts(project, "at the last of them");
}, 180_000);
