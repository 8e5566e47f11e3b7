import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { careful, onceAfter, RUN } from "./careful.ts";
import {
  Baton,
  baton,
  ofType,
  shown,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";
import { agentsGone } from "./processes.ts";

const STEPS = 6;

/** Kills a job when `done` steps are done, and takes the transcripts of all its sessions away. */
async function killedWithoutTranscripts(done: number): Promise<{ project: TestProject; id: string }> {
  const stall = onceAfter(done, { fault: { kind: "stall", at: "start" } });
  const project = await testProject({
    scenario: careful(STEPS, stall),
    agent: `session: { ${smallWindows} }`,
  });
  const running = new Baton(project, RUN);
  await project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
  await running.kill();
  await agentsGone(running);
  const { id, sessions } = await shown(project);
  for (const session of sessions) await removeTranscript(project, session.id);
  return { project, id };
}

async function removeTranscript({ env }: TestProject, session: string) {
  const projects = join(env.CLAUDE_CONFIG_DIR ?? "", "projects");
  const names = await readdir(projects, { recursive: true });
  const transcript = names.find((name) => name.endsWith(`${session}.jsonl`));
  expect(transcript).toBeDefined();
  await rm(join(projects, transcript ?? ""));
}

it("a job whose transcript is gone goes on from facts when there was no handoff", {
  tags: ["claude"],
}, async () => {
  const { project, id } = await killedWithoutTranscripts(2);
  const { code, events } = await baton(project, ["resume", id, "--json"]);
  expect(code).toBe(0);
  expect(ofType(events, "handoff:stored")[0]).toMatchObject({ source: "facts", outcome: "from-facts" });
  expect(ofType(events, "session:starting")[0]).toMatchObject({ mode: "continuation", ordinal: 2 });
  expect(ofType(events, "message:sent")[0]).toMatchObject({
    kind: "continuation",
    text: expect.stringMatching(/<original-request-\w+>\nWrite the files\.\n<\/original-request-\w+>/),
  });
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
});

it("a job whose transcript is gone goes on from its last handoff, and repeats nothing from before it", async () => {
  const { project, id } = await killedWithoutTranscripts(5);
  const [handoff] = (await shown(project)).handoffs;
  const { code, events } = await baton(project, ["resume", id, "--json"]);
  expect(code).toBe(0);
  expect(ofType(events, "session:starting")[0]).toMatchObject({ mode: "continuation", ordinal: 3 });
  expect(ofType(events, "message:sent")[0]).toMatchObject({
    kind: "continuation",
    text: expect.stringContaining(handoff.documentPath),
  });
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
});
