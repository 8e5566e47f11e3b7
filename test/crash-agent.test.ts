import { expect, it, vi } from "vitest";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { Baton, ofType, shown, smallWindows, stepsDone, testProject, upTo } from "./harness.ts";
import { agentCommand, agentProcesses, agentProgram, isRunning } from "./processes.ts";

const AGENT = `session: { ${smallWindows}, retry_backoff: 100ms }`;
const stall = { fault: { kind: "stall", at: "middle" } } as const;

it("an agent that is killed in the middle of a turn goes on by itself in the same session", async () => {
  const scenario = careful(3, onceAfter(1, { say: "Step 2 comes now.", ...stall }));
  const project = await testProject({ scenario, agent: AGENT });
  const running = new Baton(project, RUN);
  await project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
  process.kill((await agentProgram(running)).pid, "SIGKILL");
  expect(await running.exit).toMatchObject({ code: 0 });

  expect(ofType(running.events, "retry")).toMatchObject([
    { number: 1, message: expect.stringContaining("SIGKILL") },
  ]);
  expect(ofType(running.events, "session:starting").map(({ mode }) => mode)).toEqual(["fresh", "resumed"]);
  const job = await shown(project);
  expect(job.status).toBe("completed");
  expect(job.sessions).toHaveLength(1);
  expect(await stepsDone(project)).toEqual(upTo(3));
});

it("a command of a killed agent is dead before the agent is started again", async () => {
  const scenario = careful(3, onceAfter(1, { call: bash("tail -f /dev/null", "Wait") }));
  const project = await testProject({ scenario, agent: AGENT });
  const running = new Baton(project, RUN);
  const command = await agentCommand(running, "tail -f /dev/null");
  process.kill((await agentProgram(running)).pid, "SIGKILL");
  await running.event((event) => event.type === "session:starting" && event.mode === "resumed");
  expect(await isRunning(command.pid)).toBe(false);
  expect(await running.exit).toMatchObject({ code: 0 });
  expect(await stepsDone(project)).toEqual(upTo(3));
});

it("an agent that is killed while it writes its account is replaced, with a document made from facts", async () => {
  const scenario = careful(6, {
    when: ({ last }) => last.includes("<handoff-request>"),
    reply: { say: "## Goal\nWrite the files.", ...stall },
    times: 1,
  });
  const project = await testProject({ scenario, agent: AGENT });
  const running = new Baton(project, RUN);
  const { request } = await project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
  const program = await agentProgram(running, request.sessionId);
  process.kill(program.pid, "SIGKILL");
  expect(await running.exit).toMatchObject({ code: 0 });

  const job = await shown(project);
  expect(job.handoffs[0]).toMatchObject({ source: "facts", fromSession: request.sessionId });
  expect(job.sessions).toHaveLength(2);
  expect(await stepsDone(project)).toEqual(upTo(6));
});

it("a program that was started ahead of a handoff and is killed meanwhile holds nothing up", async () => {
  const killed = Promise.withResolvers<void>();
  const scenario = careful(6, {
    when: ({ last }) => last.includes("<handoff-request>"),
    async reply() {
      await killed.promise;
      return { say: "Not now." };
    },
    times: 1,
  });
  const project = await testProject({ scenario, agent: AGENT });
  const running = new Baton(project, RUN);
  await running.event(({ type }) => type === "handoff:asked");
  const { id = "" } = (await shown(project)).sessions[0];
  const ahead = await vi.waitUntil(
    async () =>
      (await agentProcesses(running)).find(
        ({ parent, command }) => parent === running.pid && command.includes("--") && !command.includes(id),
      ),
    { timeout: 20_000 },
  );
  process.kill(ahead.pid, "SIGKILL");
  killed.resolve();
  expect(await running.exit).toMatchObject({ code: 0 });
  expect((await shown(project)).status).toBe("completed");
  expect(await stepsDone(project)).toEqual(upTo(6));
});
