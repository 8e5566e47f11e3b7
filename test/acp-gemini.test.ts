import { expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { RUN } from "./careful.ts";
import { GEMINI_MODEL, geminiEnvironment } from "./gemini-home.ts";
import { baton, ofType, shown, stepsDone, testProject, upTo } from "./harness.ts";
import { needs } from "./needs.ts";

const STEPS = 5;
/** No two of them alike: the program stops a model that repeats itself. */
const THOUGHTS = Array.from({ length: 1_900 }, (_, at) => ((at + 1) * 7_919) ** 2).join(" ");

/**
 * Steps by a model that says much, because the program tells neither its tokens nor what commands print. It takes longer for an
 * answer than the program for the end of its turn, and looks at the folder first: the program forgets a turn that is cancelled.
 */
function talkative(): Scenario {
  const { otherwise, ...scenario } = steady({ steps: STEPS, look: true });
  return {
    ...scenario,
    async otherwise(request) {
      const reply = typeof otherwise === "function" ? await otherwise(request) : otherwise;
      const isStep = reply?.say?.startsWith("Step ");
      return { ...reply, ...(isStep && { say: `${reply?.say} ${THOUGHTS}` }), delayMs: 300 };
    },
  };
}

it("finishes a job of two windows on Gemini CLI, doing every step once", async () => {
  needs("gemini");
  const agent = `runtime: acp\ncommand: gemini\nmodel: ${GEMINI_MODEL}\nsession: { context_threshold: 48000 }`;
  const project = await testProject({ scenario: talkative(), agent });
  Object.assign(project.env, geminiEnvironment(project.simulator, project.env.HOME ?? ""));
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  const { sessions } = await shown(project);
  expect(sessions.map(({ endReason }: { endReason: string }) => endReason)).toEqual(["handoff", "completed"]);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  expect(ofType(events, "tool:end").every(({ ok }) => ok)).toBe(true);
  const fills = ofType(events, "response").map(({ context }) => context);
  expect(fills.every((fill) => fill?.isEstimate && fill.window === 1_048_576)).toBe(true);
});
