import { endAll } from "./ending.ts";
import { onLinux, processNumbers, procFileLater } from "./proc.ts";
import { run } from "./run.ts";

/**
 * Every process that an agent starts inherits its environment, wherever it moves in the process tree: the Bash
 * tool gives each command a session and group of its own. A variable with a value of our own finds them all.
 */
export interface Mark {
  name: string;
  value: string;
}

export const ownerMark = (value: string): Mark => ({ name: "BATON_OWNER", value });
export const sessionMark = (value: string): Mark => ({ name: "BATON_SESSION_ID", value });

/** All but this process, and those that carry `spared` too. */
export async function markedProcesses(mark: Mark, spared?: Mark): Promise<number[]> {
  return onLinux ? fromProc(mark, spared) : fromPs(mark, spared);
}

const written = ({ name, value }: Mark) => `${name}=${value}`;

function fromProc(mark: Mark, spared: Mark | undefined): Promise<number[]> {
  return processesWhere(async (pid) => {
    const environment = `\0${await procFileLater(pid, "environ").catch(() => "")}`;
    const carries = (wanted: Mark) => environment.includes(`\0${written(wanted)}\0`);
    return carries(mark) && !(spared && carries(spared));
  });
}

/** The processes in /proc for which this holds, all but this one. */
export async function processesWhere(holds: (pid: string) => Promise<boolean>): Promise<number[]> {
  const found = await Promise.all(
    processNumbers().map(async (pid) => ((await holds(pid)) ? [Number(pid)] : [])),
  );
  return found.flat().filter((pid) => pid !== process.pid);
}

async function fromPs(mark: Mark, spared: Mark | undefined): Promise<number[]> {
  const { ok, stdout, said } = await run("ps", ["-axEww", "-o", "pid=,command="]);
  if (!ok) throw new Error(`The processes of this machine cannot be listed: ps said ${said}`);
  const carries = (line: string, wanted: Mark) => `${line} `.includes(` ${written(wanted)} `);
  return stdout
    .split("\n")
    .filter((line) => carries(line, mark) && !(spared && carries(line, spared)))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid !== process.pid);
}

export function endMarked(mark: Mark, spared?: Mark): Promise<number> {
  return endAll(() => markedProcesses(mark, spared));
}
