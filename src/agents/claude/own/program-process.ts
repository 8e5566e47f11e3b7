import { parentOf } from "../../../processes/ancestors.ts";
import { startTimeOf } from "../../../processes/owner.ts";

/** How a process is told from a later one of the same number. */
export interface ProgramProcess {
  pid: number;
  startTime: string;
}

/** The process of Claude Code, which started this one: it says so, or it is behind the shell in between. */
export async function programProcess(
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProgramProcess | null> {
  const told = Number(env.CLAUDE_PID);
  const pid = Number.isInteger(told) && told > 1 ? told : await parentOf(process.ppid);
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  return pid === undefined || startTime === undefined ? null : { pid, startTime };
}
