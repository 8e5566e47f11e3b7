import { expect, it } from "vitest";
import type { Fault, Rule, Scenario } from "../src/simulator/scenario.ts";
import { lastDone, steady } from "../src/simulator/scenarios/steady.ts";
import { baton, ofType, shown, stepsDone, testProject, upTo } from "./harness.ts";
import { refusingApi } from "./refusing-api.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];
/** Every failure reaches Baton, and none is hidden by a retry of the agent's own. */
const env = { CLAUDE_CODE_MAX_RETRIES: "0" };

/** Three steps; after the first one the API has this fault. */
function failing(fault: Fault, options: Pick<Rule, "times"> & { while?: () => boolean } = {}): Scenario {
  const { times, while: holds = () => true } = options;
  const rule: Rule = {
    when: (request) => request.kind === "main" && lastDone(request) === 1 && holds(),
    reply: { fault },
    ...(times !== undefined && { times }),
  };
  return { ...steady({ steps: 3 }), rules: [rule] };
}

it.each([
  { kind: "server-error", times: 2 },
  { kind: "overloaded", times: 2 },
  // The agent itself asks once more, without streaming.
  { kind: "drop", times: 4 },
] as const)("tries again until the API answers: $kind", async ({ kind, times }) => {
  const project = await testProject({
    scenario: failing({ kind }, { times }),
    agent: "session: { retry_backoff: 50ms }",
    env,
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(ofType(events, "retry").map(({ delayMs }) => delayMs)).toEqual([50, 100]);
  expect(await stepsDone(project)).toEqual(upTo(3));
  expect((await shown(project)).sessions).toHaveLength(1);
});

it("pauses when the API goes on failing, and loses nothing", async () => {
  let down = true;
  const project = await testProject({
    scenario: failing({ kind: "overloaded" }, { while: () => down }),
    agent: "session: { max_retries: 2, retry_backoff: 50ms }",
    env,
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(3);
  expect(ofType(events, "job:paused")).toMatchObject([{ code: "api_failing" }]);
  const paused = await shown(project);
  expect(paused.error).toMatch(/Overloaded.*Tried again 2 times/s);

  down = false;
  expect((await baton(project, ["resume", paused.id, "--json"])).code).toBe(0);
  expect((await shown(project)).sessions).toHaveLength(1);
  expect(await stepsDone(project)).toEqual(upTo(3));
});

it("fails at once when the API refuses the credentials", { tags: ["claude"] }, async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  project.env.ANTHROPIC_BASE_URL = await refusingApi();
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(1);
  expect(ofType(events, "job:failed")).toMatchObject([{ error: expect.stringMatching(/api key|401/i) }]);
});

it("starts the agent again when it has stalled, and goes on in the same session", async () => {
  const project = await testProject({
    scenario: failing({ kind: "stall", at: "middle" }, { times: 1 }),
    agent: "session: { stall_timeout: 3s, retry_backoff: 50ms }",
    env,
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  const messages = ofType(events, "retry").map(({ message }) => message);
  expect(messages).not.toHaveLength(0);
  for (const message of messages) expect(message).toContain("stall_timeout");
  const modes = ofType(events, "session:starting").map(({ mode }) => mode);
  expect([modes.at(0), modes.at(-1)]).toEqual(["fresh", "resumed"]);
  expect((await shown(project)).sessions).toMatchObject([{ endReason: "completed" }]);
  expect(await stepsDone(project)).toEqual(upTo(3));
});

it("pauses when the agent has stalled and may not be tried again", async () => {
  const project = await testProject({
    scenario: failing({ kind: "stall", at: "start" }),
    agent: "session: { stall_timeout: 2s, max_retries: 0 }",
    env,
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(3);
  expect(ofType(events, "job:paused")).toMatchObject([{ code: "stalled" }]);
  expect((await shown(project)).error).toMatch(/stall_timeout\)\.$/);
});
