import type { SimulatedRequest } from "../request.ts";
import type { Reply, Scenario } from "../scenario.ts";
import { DEMO_FACTOR, DEMO_REQUEST, demoStep } from "./demo.ts";

const STEPS = 3;
const LIMITED_MS = 6_000;

const [UNITS = ""] = DEMO_REQUEST.split("\n");

/** Several agents at once: one works through the job of the demo, the others do a few short steps each, and one of them meets a usage limit. */
export function fleet(now: () => number = Date.now): Scenario {
  let resetsAt: number | undefined;
  return {
    name: "fleet",
    account: "plan",
    summary: "several jobs at once, one over three windows, one with a usage limit",
    factor: DEMO_FACTOR,
    otherwise(request) {
      if (request.text.includes(UNITS)) return demoStep(request);
      const done = doneIn(request);
      if (request.text.includes("usage limit") && done === 1) {
        resetsAt ??= Math.ceil((now() + LIMITED_MS) / 1000);
        if (now() < resetsAt * 1000) return { fault: { kind: "usage-limit", resetsAt } };
      }
      return stepAfter(done);
    },
  };
}

function doneIn({ results }: SimulatedRequest): number {
  return results.filter(({ text }) => text.includes("step is done")).length;
}

function stepAfter(done: number): Reply {
  if (done >= STEPS) return { say: `All ${STEPS} steps are done.` };
  const command = `sleep 1; echo "a step" "is done" >> "notes-$BATON_JOB_ID.txt"; echo "step is" "done" | tr -s ' '`;
  return {
    say: `Step ${done + 1} of ${STEPS}.`,
    call: { tool: "Bash", input: { command, description: `Do step ${done + 1}` } },
  };
}
