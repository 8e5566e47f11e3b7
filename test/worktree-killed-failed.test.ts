import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { onceAfter } from "./careful.ts";
import { gitShim } from "./git-shim.ts";
import { Baton, baton, shown } from "./harness.ts";
import { agentsGone } from "./processes.ts";
import { refusingApi } from "./refusing-api.ts";
import { type WorktreeProject, worktreeProject } from "./worktree.ts";
import {
  expectDelivered,
  expectUntouched,
  keepHouse,
  killedAtEachCall,
  mend,
  RUN,
  snapshot,
} from "./worktree-killed.ts";

const STEPS = 2;
const MAINTAIN = ["maintain"];

it("a failed job that is killed at any step of its teardown keeps its files, and can be resumed", async () => {
  const { project, running } = await halfDone();
  await running.kill();
  await agentsGone(running);
  const { id } = await shown(project);
  const failing = new Baton(await withoutCredentials(project), ["resume", id, "--json"]);
  await killedWhileClosing(failing, "failed");
  const shim = await gitShim(project);
  const restore = await snapshot(project);
  expect((await baton({ ...project, env: shim.env }, MAINTAIN)).code).toBe(0);
  expect((await shown(project)).status).toBe("failed");
  const calls = await shim.calls();
  expect(calls.join("\n")).toMatch(/ worktree remove .* update-ref .*-d /s);

  await killedAtEachCall(project, { shim, args: MAINTAIN, calls, every: 3 }, restore, async ({ how, at }) => {
    await expectFileInCheckpoint(project, id, at);
    if (how === "start-up") {
      await keepHouse(project, at);
      await expectUntouched(project, at);
    } else {
      await mend(project, id, how, at);
      await expectDelivered(project, STEPS, at);
    }
  });
}, 180_000);

it("a job that is killed while it is being cancelled is cancelled at the next start-up, and keeps its files", async () => {
  const { project, running } = await halfDone();
  const { id } = await shown(project);
  const cancelling = new Baton(project, ["cancel", id]);
  await killedWhileClosing(running, "cancelled");
  await cancelling.kill();
  const shim = await gitShim(project);
  const restore = await snapshot(project);
  expect((await baton({ ...project, env: shim.env }, MAINTAIN)).code).toBe(0);
  const calls = await shim.calls();

  await killedAtEachCall(project, { shim, args: MAINTAIN, calls, every: 3 }, restore, async ({ at }) => {
    await keepHouse(project, at);
    expect((await shown(project)).status, at).toBe("cancelled");
    await expectFileInCheckpoint(project, id, at);
    await expectUntouched(project, at);
  });
  await mend(project, id, "resume", "at the last of them");
  await expectDelivered(project, STEPS, "at the last of them");
}, 180_000);

/** A job at work, of which one file is written and not committed. */
async function halfDone(): Promise<{ project: WorktreeProject; running: Baton }> {
  const stall = onceAfter(1, { fault: { kind: "stall", at: "start" } });
  const project = await worktreeProject({ scenario: { ...steady({ steps: STEPS }), rules: [stall] } });
  const running = new Baton(project, RUN);
  await project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
  // A session that was killed before it had written that down would do the step again.
  await expect.poll(() => transcripts(project), { timeout: 30_000 }).toContain('"tool_result"');
  return { project, running };
}

async function transcripts({ folder }: WorktreeProject): Promise<string> {
  const projects = join(folder, "..", "claude", "projects");
  const names = await readdir(projects, { recursive: true });
  const texts = names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFile(join(projects, name), "utf8"));
  return (await Promise.all(texts)).join("");
}

async function killedWhileClosing(running: Baton, outcome: string): Promise<void> {
  const closing = await running.event(({ type }) => type === "job:closing");
  expect(closing).toMatchObject({ outcome });
  await running.kill();
  await agentsGone(running);
}

async function expectFileInCheckpoint(project: WorktreeProject, id: string, at: string): Promise<void> {
  const to = await mkdtemp(join(tmpdir(), "baton-restored-"));
  onTestFinished(() => rm(to, { recursive: true, force: true }));
  const restored = await baton(project, ["restore", id, "--to", to]);
  expect(restored.code, `${at}: ${restored.stderr}`).toBe(0);
  expect(await readFile(join(to, "step-1.txt"), "utf8"), at).toBe("step 1\n");
}

/** The API refuses every request, which is the end of a job. */
async function withoutCredentials(project: WorktreeProject): Promise<WorktreeProject> {
  return { ...project, env: { ...project.env, ANTHROPIC_BASE_URL: await refusingApi() } };
}
