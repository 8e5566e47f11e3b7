import { expect, it } from "vitest";
import type { Scenario, Step } from "../src/simulator/scenario.ts";
import { baton, ofType, shown, testProject } from "./harness.ts";
import {
  asksForHandoff,
  failedChecks,
  good,
  handedOver,
  handsIn,
  oneHandoff,
  RUN_REQUEST,
  writesNotes,
} from "./one-handoff.ts";

const inSteps = (...steps: Step[]): Scenario => ({ name: "in steps", summary: "", steps });

it("an agent hands off of its own accord before a large step", async () => {
  const { events, stored, project } = await handedOver(oneHandoff([writesNotes], handsIn({})));
  expect(ofType(events, "handoff:requested")).toMatchObject([{ by: "agent" }]);
  expect(ofType(events, "context:handoff:start")).toMatchObject([{ trigger: "agent" }]);
  expect(failedChecks(stored)).toEqual([]);
  expect((await shown(project)).sessions).toMatchObject([
    { endReason: "handoff" },
    { endReason: "completed" },
  ]);
});

it("an agent can hand off in its very first step", async () => {
  const account = handsIn({ ...good, filesChanged: [], currentState: "Nothing is written yet." });
  const project = await testProject({
    scenario: inSteps({ call: asksForHandoff }, account, { say: "All is done." }),
  });
  const { code, events } = await baton(project, RUN_REQUEST);
  expect(code).toBe(0);
  expect(ofType(events, "handoff:refused")).toEqual([]);
  expect(ofType(events, "context:handoff:start")).toMatchObject([{ trigger: "agent" }]);
  expect(ofType(events, "handoff:stored")).toMatchObject([{ outcome: "written" }]);
});

it("an account that nobody asked for is refused, and the work goes on", async () => {
  const project = await testProject({
    scenario: inSteps({ call: writesNotes }, handsIn({}), { say: "All is done." }),
  });
  const { code, events } = await baton(project, RUN_REQUEST);
  expect(code).toBe(0);
  expect(ofType(events, "handoff:stored")).toEqual([]);
  const results = project.simulator.requests.flatMap(({ request }) => request.results);
  expect(results).toContainEqual(
    expect.objectContaining({
      isError: true,
      text: expect.stringContaining("Nobody has asked for a handoff"),
    }),
  );
  expect(await shown(project)).toMatchObject({ status: "completed", result: "All is done.", handoffs: [] });
});
