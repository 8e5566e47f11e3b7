import type { Scenario } from "../scenario.ts";
import { lastDone, steady, writeStep } from "./steady.ts";

/** Just below the length at which Claude Code moves a command's output to a file. */
const LARGE_OUTPUT = 29_000;
/** Makes that output more than a window of 200,000 tokens. */
const FACTOR = 30;

interface OverflowOptions {
  steps?: number;
  /** The step whose output overflows the window. */
  at?: number;
  /** Larger for a program that shortens what commands print. */
  factor?: number;
}

/** One tool result so large that the next request no longer fits: no session can write anything after that. */
export function overflow({ steps = 4, at = 2, factor = FACTOR }: OverflowOptions = {}): Scenario {
  return {
    ...steady({ steps, factor, look: true }),
    name: "overflow",
    summary: `the output of step ${at} overflows the window at once`,
    rules: [
      {
        when: (request) => request.kind === "main" && lastDone(request) === at - 1,
        reply: writeStep(at, steps, LARGE_OUTPUT),
        times: 1,
      },
    ],
  };
}
