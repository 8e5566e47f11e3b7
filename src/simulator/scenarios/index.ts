import type { Scenario } from "../scenario.ts";
import { demo } from "./demo.ts";
import { firstJob } from "./first-job.ts";
import { flaky } from "./flaky.ts";
import { limits } from "./limits.ts";
import { overflow } from "./overflow.ts";
import { steady } from "./steady.ts";
import { talk } from "./talk.ts";

/** The scenarios that come with Baton, by name. Each call makes a fresh one, because some keep time. */
export const scenarios: Record<string, () => Scenario> = {
  demo,
  "first-job": firstJob,
  steady: () => steady({ steps: 10 }),
  talk,
  limits,
  flaky,
  overflow,
};
