import type { Scenario } from "../scenario.ts";
import { lastDone, steady } from "./steady.ts";

interface LimitsOptions {
  steps?: number;
  /** The number of finished steps at which the allowance is used up. */
  after?: number;
  /** How long the allowance stays used up, from the first request that is refused. */
  seconds?: number;
  now?: () => number;
}

/** A plan's usage limit in the middle of the work. */
export function limits({ steps = 4, after = 2, seconds = 5, now = Date.now }: LimitsOptions = {}): Scenario {
  let resetsAt: number | undefined;
  return {
    ...steady({ steps }),
    name: "limits",
    account: "plan",
    summary: `a usage limit after step ${after} that resets ${seconds} seconds later, then the work continues`,
    rules: [
      {
        when: (request) =>
          request.kind === "main" &&
          lastDone(request) === after &&
          (resetsAt === undefined || now() < resetsAt * 1000),
        reply() {
          resetsAt ??= Math.ceil(now() / 1000) + seconds;
          return { fault: { kind: "usage-limit", resetsAt } };
        },
      },
    ],
  };
}
