import { describe, expect, it } from "vitest";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { Baton, baton, ofType, shown, stepsDone, testProject, upTo } from "./harness.ts";
import {
  agentCommand,
  agentProcesses,
  agentsGone,
  isRunning,
  killWithGuard,
  processesNamed,
} from "./processes.ts";

const STEPS = 3;
const silent = { fault: { kind: "stall", at: "start" } } as const;

/** Commands that outlive their shell, each in its own way, and one that the agent waits for. */
const unmarked = `sleep 6${process.pid}`;
const longCommands = onceAfter(1, {
  call: [
    bash("sleep 601", "Wait in the background", { run_in_background: true }),
    bash(`env -i setsid ${unmarked} >/dev/null 2>&1 &`, "Wait without an environment, and without a parent"),
    bash("setsid nohup sleep 602 >/dev/null 2>&1 & sleep 603", "Wait in a session of its own"),
  ],
});

describe("when Baton is killed", () => {
  it("everything that its agent runs ends at once, however it was started", {
    tags: ["claude"],
  }, async () => {
    const project = await testProject({ scenario: careful(STEPS, longCommands) });
    const running = new Baton(project, RUN);
    const commands = await Promise.all(
      ["sleep 601", "sleep 602", "sleep 603"].map((command) => agentCommand(running, command)),
    );
    expect(await processesNamed(unmarked)).toHaveLength(1);
    await running.kill();
    await agentsGone(running);
    for (const { pid } of commands) expect(await isRunning(pid)).toBe(false);
    await expect.poll(() => processesNamed(unmarked), { timeout: 5_000 }).toEqual([]);
  });

  it("together with its guard, the next resume ends what was left before it starts a session", async () => {
    const project = await testProject({ scenario: careful(STEPS, longCommands) });
    const running = new Baton(project, RUN);
    await agentCommand(running, "sleep 603");
    await killWithGuard(running);
    const left = await agentProcesses(running);
    expect(left.map(({ command }) => command)).toContain("sleep 603");
    expect(await processesNamed(unmarked)).toHaveLength(1);

    const resumed = new Baton(project, ["resume", (await shown(project)).id, "--json"]);
    await resumed.event(({ type }) => type === "session:starting");
    expect(await agentProcesses(running)).toEqual([]);
    expect(await processesNamed(unmarked)).toEqual([]);
    expect(await resumed.exit).toMatchObject({ code: 0 });
    expect(await stepsDone(project)).toEqual(upTo(STEPS));
  });
});

describe("two Baton processes on one store", () => {
  it("never run the same job: a resume of a running one is refused and names the process", async () => {
    const project = await testProject({ scenario: careful(STEPS, onceAfter(1, silent)) });
    const running = new Baton(project, RUN);
    await project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
    const { id } = await shown(project);

    const refused = await baton(project, ["resume", id]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`${id} is being run by process ${running.pid}`);
    expect((await shown(project)).status).toBe("running");
    expect(await agentProcesses(running)).not.toEqual([]);
  });

  it("leave an interrupted job to exactly one of two that resume it at once", async () => {
    const project = await testProject({ scenario: careful(STEPS, onceAfter(1, silent)) });
    const running = new Baton(project, RUN);
    await project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
    await running.kill();
    const { id } = await shown(project);

    const both = await Promise.all([1, 2].map(() => baton(project, ["resume", id, "--json"])));
    const [winner, loser] = both.sort((a, b) => (a.code ?? -1) - (b.code ?? -1));
    expect(winner?.code).toBe(0);
    expect(loser).toMatchObject({ code: 2, events: [] });
    expect(loser?.stdout).toMatch(/is being run by process|is completed/);
    expect(ofType(winner?.events ?? [], "session:starting")).toHaveLength(1);
    expect(await stepsDone(project)).toEqual(upTo(STEPS));
  });
});
