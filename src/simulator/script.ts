import type { SimulatedRequest } from "./request.ts";
import type { Reply, Scenario, Step } from "./scenario.ts";
import { answerSideRequest } from "./side.ts";

const DONE: Reply = { say: "Done." };

/** A scenario in progress: which steps are used up, and how often each rule may still answer. */
interface Script {
  reply(request: SimulatedRequest): Promise<Reply>;
}

export function startScript(scenario: Scenario): Script {
  const rules = (scenario.rules ?? []).map((rule) => ({
    ...rule,
    left: rule.times ?? Number.POSITIVE_INFINITY,
  }));
  const steps = [...(scenario.steps ?? [])];

  function choose(request: SimulatedRequest): Step {
    const rule = rules.find(({ left, when }) => left > 0 && when(request));
    if (rule) {
      rule.left -= 1;
      return rule.reply;
    }
    switch (request.kind) {
      case "main":
        return steps.shift() ?? scenario.otherwise ?? DONE;
      case "subagent":
        return DONE;
      case "side":
        return answerSideRequest;
    }
  }

  return {
    async reply(request) {
      const step = choose(request);
      return typeof step === "function" ? step(request) : step;
    },
  };
}
