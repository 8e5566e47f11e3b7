import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { gitShim } from "./git-shim.ts";
import { Baton } from "./harness.ts";
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

const STEPS = 1;

it("a job that is killed at any step of its set-up delivers its work all the same", async () => {
  const project = await worktreeProject({ scenario: steady({ steps: STEPS }) });
  const shim = await gitShim(project);
  const restore = await snapshot(project);
  const undisturbed = new Baton({ ...project, env: shim.env }, RUN);
  await undisturbed.event(({ type }) => type === "workspace:ready");
  await undisturbed.kill();
  await agentsGone(undisturbed);
  const calls = await shim.calls();
  expect(calls.join("\n")).toMatch(/ fetch .* worktree add .* checkout /s);

  await killedAtEachCall(project, { shim, args: RUN, calls }, restore, async ({ job, how, at }) => {
    await mend(project, job, how, at);
    await expectDelivered(project, STEPS, at);
  });
  await expectNextJobStarts(project, "at the last of them");
}, 180_000);
