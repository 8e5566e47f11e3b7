import type { Scenario } from "../src/simulator/scenario.ts";
import { bash } from "./careful.ts";

/** A model that runs the command that it is told in a prompt made with `told`, and says that it is done. */
export function obedient({ before = [] }: { before?: Scenario["rules"] } = {}): Scenario {
  return {
    name: "obedient",
    summary: "Runs one command for each prompt",
    ...(before && { rules: before }),
    otherwise({ last }) {
      const command = /<run>([\s\S]*)<\/run>/.exec(last)?.[1];
      return command === undefined ? { say: "Done as told." } : { call: bash(command, "Do as told") };
    },
  };
}

export const told = (command: string) => `Run this: <run>${command}</run>`;
