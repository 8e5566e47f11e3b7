import { expect, it } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { limits } from "../src/simulator/scenarios/limits.ts";
import { lastDone, steady } from "../src/simulator/scenarios/steady.ts";
import { baton, ofType, shown, stepsDone, testProject, upTo } from "./harness.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];

it("waits until a usage limit resets, and goes on in the same session", async () => {
  const project = await testProject({
    scenario: limits({ steps: 2, after: 1, seconds: 2 }),
    account: "plan",
    agent: "session: { retry_backoff: 100ms }",
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  const [waiting] = ofType(events, "limit:waiting");
  const [over] = ofType(events, "limit:over");
  expect(waiting?.until).toBeGreaterThan(Date.parse(waiting?.at ?? ""));
  expect(Date.parse(over?.at ?? "")).toBeGreaterThanOrEqual(waiting?.until ?? 0);
  expect((await shown(project)).sessions).toMatchObject([{ endReason: "completed" }]);
  expect(ofType(events, "session:starting")).toHaveLength(1);
  expect(await stepsDone(project)).toEqual(upTo(2));
});

it("pauses at a usage limit where that is wanted, and says when it resets", async () => {
  const project = await testProject({
    scenario: limits({ steps: 2, after: 1, seconds: 3_600 }),
    account: "plan",
    agent: "session: { on_limit: pause }",
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(3);
  expect(ofType(events, "job:paused")).toMatchObject([{ code: "usage_limit" }]);
  const job = await shown(project);
  expect(job.error).toMatch(/It resets at \d{4}-\d\d-\d\dT\d\d:\d\d/);
  expect(job.sessions).toMatchObject([{ endReason: "limited" }]);
});

it("waits by its own backoff where a rate limit names no time", async () => {
  const rule: Rule = {
    when: (request) => request.kind === "main" && lastDone(request) === 1,
    reply: { fault: { kind: "rate-limit" } },
    times: 2,
  };
  const project = await testProject({
    scenario: { ...steady({ steps: 2 }), rules: [rule] },
    agent: "session: { retry_backoff: 100ms }",
    env: { CLAUDE_CODE_MAX_RETRIES: "0" },
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  const waits = ofType(events, "limit:waiting").map(({ until, at }) => until - Date.parse(at));
  expect(waits).toHaveLength(2);
  expect(Math.max(...waits)).toBeLessThan(1_000);
  expect(await stepsDone(project)).toEqual(upTo(2));
});
