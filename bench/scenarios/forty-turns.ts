import type { Scenario } from "../../src/simulator/scenario.ts";

export const TURNS = 40;

/** Stateless, so that one server can answer any number of runs. */
const fortyTurns: Scenario = {
  name: "forty-turns",
  summary: `${TURNS} turns; each but the last runs one quick command`,
  otherwise: ({ turns }) =>
    turns < TURNS - 1
      ? {
          say: `Turn ${turns + 1}.`,
          call: { tool: "Bash", input: { command: `echo ${turns + 1}`, description: "Print the turn" } },
        }
      : { say: "All turns are done." },
};

export default fortyTurns;
