import type { Scenario } from "../../src/simulator/scenario.ts";

export const TURNS = 40;

/** Far quicker than any model answers. */
export const ANSWER_MS = 200;

/** As a quick model answers with a short text and a call. */
export const QUICK_MODEL_MS = 500;

/** Stateless, so that one server can answer any number of runs. */
export function fortyTurns(delayMs: number): Scenario {
  return {
    name: "forty-turns",
    summary: `${TURNS} turns, each answered after ${delayMs} ms; each but the last runs one quick command`,
    otherwise: ({ turns }) =>
      turns < TURNS - 1
        ? {
            delayMs,
            say: `Turn ${turns + 1}.`,
            call: { tool: "Bash", input: { command: `echo ${turns + 1}`, description: "Print the turn" } },
          }
        : { delayMs, say: "All turns are done." },
  };
}

export default fortyTurns(ANSWER_MS);
