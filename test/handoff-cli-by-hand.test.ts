import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { Baton, baton, ofType, shown, stepsDone, type TestProject, testProject, upTo } from "./harness.ts";

const STEPS = 3;

/** A command that ends when the test lets it. */
const held = onceAfter(1, { call: bash("until [ -f go ]; do sleep 0.02; done", "Wait for a word") });
const letGo = ({ folder }: TestProject) => writeFile(join(folder, "go"), "");

/** Answers a request for the handoff document never; the session is interrupted in it. */
const neverWritten: Rule = {
  when: ({ last }) => last.includes("<handoff-request>"),
  reply: () => new Promise(() => {}),
  times: 1,
};

function isHandoffRequest({ request }: { request: { last: string } }): boolean {
  return request.last.includes("<handoff-request>");
}

/** A job whose agent is in the middle of a command. */
async function atWork(...rules: Rule[]): Promise<{ project: TestProject; running: Baton; id: string }> {
  const project = await testProject({ scenario: careful(STEPS, ...rules, held) });
  const running = new Baton(project, RUN);
  const { job: id } = await running.event(
    (event) => event.type === "tool:start" && event.summary.includes("until"),
  );
  return { project, running, id };
}

describe("baton handoff", () => {
  it("makes a running job hand off at its next boundary, with the focus, and says where the document is", async () => {
    const { project, running, id } = await atWork();
    const asking = new Baton(project, ["handoff", id, "--focus", "the third file"]);
    await running.event(({ type }) => type === "handoff:requested");
    expect(ofType(running.events, "context:handoff:start")).toEqual([]);
    await letGo(project);
    expect(await asking.exit).toMatchObject({ code: 0 });
    expect(await running.exit).toMatchObject({ code: 0 });

    const job = await shown(project);
    expect(job.handoffs).toMatchObject([{ trigger: "manual", outcome: "written", source: "agent" }]);
    expect(asking.stdout).toBe(`Handoff 1 (written) is stored: ${job.handoffs[0].documentPath}\n`);
    const { request } = await project.simulator.waitFor(isHandoffRequest);
    expect(request.last).toContain("focus on: the third file");
    expect(await stepsDone(project)).toEqual(upTo(STEPS));
  });

  it("says that there is nothing to hand off yet before the agent has answered", async () => {
    const answer = Promise.withResolvers<{ say: string }>();
    const project = await testProject({
      scenario: { name: "slow", summary: "", steps: [() => answer.promise] },
    });
    const running = new Baton(project, RUN);
    await project.simulator.waitFor(({ request }) => request.kind === "main");
    const { job: id } = await running.event(({ type }) => type === "message:sent");
    const asking = await baton(project, ["handoff", id]);
    expect(asking).toMatchObject({ code: 1, stdout: "Nothing to hand off yet\n" });
    answer.resolve({ say: "Done." });
    expect(await running.exit).toMatchObject({ code: 0 });
    expect((await shown(project)).handoffs).toEqual([]);
  });

  it("--cancel lets the session go on where it was while the handoff is being written", async () => {
    const { project, running, id } = await atWork(neverWritten);
    const asking = new Baton(project, ["handoff", id, "--json"]);
    await running.event(({ type }) => type === "handoff:requested");
    await letGo(project);
    await project.simulator.waitFor(isHandoffRequest);
    expect(await baton(project, ["handoff", id, "--cancel"])).toMatchObject({
      code: 0,
      stdout: "Handoff cancelled\n",
    });
    expect(await asking.exit).toMatchObject({ code: 1 });
    expect(JSON.parse(asking.stdout)).toMatchObject({ job: id, outcome: "cancelled" });
    expect(await running.exit).toMatchObject({ code: 0 });
    const job = await shown(project);
    expect(job.handoffs).toEqual([]);
    expect(job.sessions).toHaveLength(1);
    expect(await stepsDone(project)).toEqual(upTo(STEPS));
  });

  it("--cancel takes back a handoff that still waits for its boundary, and a second one finds none", async () => {
    const { project, running, id } = await atWork();
    const asking = new Baton(project, ["handoff", id]);
    await running.event(({ type }) => type === "handoff:requested");
    expect((await baton(project, ["handoff", id, "--cancel"])).code).toBe(0);
    expect(await asking.exit).toMatchObject({ code: 1 });
    expect(asking.stdout).toBe("Handoff cancelled\n");
    expect(await baton(project, ["handoff", id, "--cancel"])).toMatchObject({
      code: 1,
      stdout: "No handoff is being made\n",
    });
    await letGo(project);
    expect(await running.exit).toMatchObject({ code: 0 });
    expect((await shown(project)).sessions).toHaveLength(1);
  });

  it("makes the document of a job that does not run from facts, once, and the job continues from it", async () => {
    const project = await testProject({ scenario: careful(2), agent: "limits: { turns: 3 }" });
    expect((await baton(project, RUN)).code).toBe(3);
    const { id } = await shown(project);
    const asked = await baton(project, ["handoff", id]);
    const { status, handoffs } = await shown(project);
    expect(asked).toMatchObject({
      code: 0,
      stdout: `Handoff 1 (from facts) is stored: ${handoffs[0].documentPath}\n`,
    });
    expect(status).toBe("paused");
    expect(await readFile(handoffs[0].documentPath, "utf8")).toContain("step-$n.txt");
    expect((await baton(project, ["handoff", id])).stdout).toBe(asked.stdout);
    expect(await baton(project, ["handoff", id, "--focus", "this"])).toMatchObject({ code: 2 });

    const resumed = await baton(project, ["resume", id, "--json"]);
    expect(resumed.code).toBe(0);
    expect(ofType(resumed.events, "session:starting")).toMatchObject([{ mode: "continuation", ordinal: 2 }]);
    expect(await stepsDone(project)).toEqual(upTo(2));
    const refused = await baton(project, ["handoff", id]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`${id} is completed`);
  });
});
