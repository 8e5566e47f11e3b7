import { describe, expect, it } from "vitest";
import { jobMark } from "../src/jobs/run/spec.ts";
import { markedProcesses } from "../src/processes/marks.ts";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { Baton, baton, shown, stepsDone, type TestProject, testProject, upTo } from "./harness.ts";
import { agentCommand, agentProcesses, childrenOf, isRunning, killWithGuard } from "./processes.ts";

const STEPS = 3;
const longCommand = onceAfter(1, { call: bash("tail -f /dev/null", "Wait") });

/** A job whose agent runs a command that never ends, after one finished step. */
async function atWork(): Promise<{ project: TestProject; running: Baton; command: number }> {
  const project = await testProject({ scenario: careful(STEPS, longCommand) });
  const running = new Baton(project, RUN);
  const { pid } = await agentCommand(running, "tail -f /dev/null");
  return { project, running, command: pid };
}

describe("baton cancel", () => {
  it("from another process ends the agent and its command, and a resume continues the job", async () => {
    const { project, running, command } = await atWork();
    const { id, ...during } = await shown(project);
    expect(during).toMatchObject({ costUsd: 0, costEstimated: true });
    expect(during.simulatedCostUsd).toBeGreaterThan(0.05);
    const cancel = await baton(project, ["cancel", id]);
    expect(cancel).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} is cancelled`) });
    expect(await isRunning(command)).toBe(false);
    expect(await agentProcesses(running)).toEqual([]);
    expect(await running.exit).toMatchObject({ code: 130 });
    const after = await shown(project);
    expect(after.status).toBe("cancelled");
    expect(after.simulatedCostUsd).toBeGreaterThanOrEqual(during.simulatedCostUsd ?? Number.NaN);

    expect((await baton(project, ["resume", id, "--json"])).code).toBe(0);
    expect(await stepsDone(project)).toEqual(upTo(STEPS));
  });

  it("ends a paused job", async () => {
    const project = await testProject({ scenario: careful(STEPS), agent: "limits: { turns: 1 }" });
    expect((await baton(project, RUN)).code).toBe(3);
    const { id, status } = await shown(project);
    expect(status).toBe("paused");
    const cancel = await baton(project, ["cancel", id, "--json"]);
    expect(cancel.code).toBe(0);
    expect(JSON.parse(cancel.stdout)).toMatchObject({ id, status: "cancelled" });
  });

  it("ends an interrupted job, and what its agent left running", async () => {
    const { project, running, command } = await atWork();
    await killWithGuard(running);
    const { id, status, simulatedCostUsd, costEstimated } = await shown(project);
    expect(status).toBe("interrupted");
    expect(simulatedCostUsd).toBeGreaterThan(0.05);
    expect(costEstimated).toBe(true);
    const figure = `$${simulatedCostUsd?.toFixed(2)}`;
    expect((await baton(project, ["jobs"])).stdout).toContain(`sim. ${figure}`);
    expect((await baton(project, ["show", id])).stdout).toContain(`${figure} simulated`);
    expect(await isRunning(command)).toBe(true);

    expect((await baton(project, ["cancel", id])).code).toBe(0);
    expect(await agentProcesses(running)).toEqual([]);
    expect(await isRunning(command)).toBe(false);
    expect((await shown(project)).status).toBe("cancelled");
  });

  it("is refused for a completed job, which stays completed", async () => {
    const project = await testProject({ scenario: careful(1) });
    expect((await baton(project, RUN)).code).toBe(0);
    const { id } = await shown(project);
    const cancel = await baton(project, ["cancel", id]);
    expect(cancel).toMatchObject({ code: 2, stderr: expect.stringContaining(`${id} is completed already`) });
    expect((await shown(project)).status).toBe("completed");
  });
});

describe("a signal to baton run", () => {
  it("Ctrl-C cancels the job and ends its agent", async () => {
    const { project, running, command } = await atWork();
    running.child.kill("SIGINT");
    expect(await running.exit).toEqual({ code: 130, signal: null });
    expect(await agentProcesses(running)).toEqual([]);
    expect(await isRunning(command)).toBe(false);
    expect((await shown(project)).status).toBe("cancelled");
  });

  it("a second Ctrl-C does not wait for an agent that will not end", async () => {
    const project = await testProject({ scenario: careful(STEPS, longCommand) });
    const running = new Baton(
      project,
      RUN.filter((argument) => argument !== "--json"),
    );
    await expect.poll(() => running.stdout, { timeout: 30_000 }).toContain("tail -f /dev/null");
    const agent = jobMark((await shown(project)).id);
    const [program] = await childrenOf(running.pid, await markedProcesses(agent));
    process.kill(program ?? 0, "SIGSTOP");
    running.child.kill("SIGINT");
    await expect.poll(() => running.stdout).toContain("Press Ctrl-C again to leave without waiting");
    running.child.kill("SIGINT");
    expect(await running.exit).toEqual({ code: 130, signal: null });
    await expect.poll(() => markedProcesses(agent), { timeout: 10_000 }).toEqual([]);
    expect((await shown(project)).status).toBe("interrupted");
  });

  it("SIGTERM ends the agent and leaves a job that a resume brings to its end", async () => {
    const { project, running, command } = await atWork();
    running.child.kill("SIGTERM");
    expect(await running.exit).toEqual({ code: 1, signal: null });
    expect(await isRunning(command)).toBe(false);
    const { id, status } = await shown(project);
    expect(status).toBe("interrupted");

    expect((await baton(project, ["resume", id, "--json"])).code).toBe(0);
    expect(await stepsDone(project)).toEqual(upTo(STEPS));
  });
});
