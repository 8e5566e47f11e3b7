import { SIMULATE_VARIABLE } from "../util/simulate-variable.ts";
import { oneLine } from "./style.ts";

/** On the simulator, where it ran on that just now. `command`: by which whoever ran the job continues it. */
export function howToContinue(job: string, command = "resume", env: NodeJS.ProcessEnv = process.env): string {
  const again = env[SIMULATE_VARIABLE];
  return `Continue with: ${again ? `${oneLine(again)} -- ` : ""}baton ${command} ${job}`;
}
