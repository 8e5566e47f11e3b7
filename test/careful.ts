import type { Rule, Scenario } from "../src/simulator/scenario.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { LOOK, lastDone } from "../src/simulator/scenarios/steady.ts";
import { inSmallWindows } from "./harness.ts";

export const RUN = ["run", "coder", "Write the files.", "--json"];

/** What Baton says to a session that continues work which another process of it, or another session, began. */
const TAKEN_UP = /You were interrupted|You take over|did not go through/;

/**
 * Numbered steps over small windows, by a model that does as it is told when it takes work up: it looks at what is
 * there. `rules` come first.
 */
export function careful(steps: number, ...rules: Rule[]): Scenario {
  const look: Rule = {
    // What a program has forgotten is told again, with the message that it began with, before a handoff is asked for.
    when: (request) => request.kind === "main" && TAKEN_UP.test(request.last) && !isHandoffRequest(request),
    reply: { say: "I look at what is there.", call: bash(LOOK, "Look for finished steps") },
  };
  return { ...inSmallWindows(steps), rules: [...rules, look] };
}

/** Answers once, when exactly `done` steps are done and no handoff is being asked for. */
export function onceAfter(done: number, reply: Rule["reply"]): Rule {
  return {
    when: (request) =>
      request.kind === "main" &&
      lastDone(request) === done &&
      !isHandoffRequest(request) &&
      !TAKEN_UP.test(request.last),
    reply,
    times: 1,
  };
}

export function bash(command: string, description: string, input: Record<string, unknown> = {}) {
  return { tool: "Bash", input: { command, description, ...input } };
}
