import type { Fault, Rule, Scenario } from "../scenario.ts";
import { lastDone, steady } from "./steady.ts";

const FAULTS: Fault[] = [{ kind: "server-error" }, { kind: "overloaded" }, { kind: "drop" }];

/** The API fails once before each of the first steps, each time in another way. */
export function flaky({ steps = 4 }: { steps?: number } = {}): Scenario {
  return {
    ...steady({ steps }),
    name: "flaky",
    summary: "a server error, an overloaded server and a broken connection, then the work continues",
    rules: FAULTS.map(
      (fault, done): Rule => ({
        when: (request) => request.kind === "main" && lastDone(request) === done,
        reply: { fault },
        times: 1,
      }),
    ),
  };
}
