import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../../files/state-folder.ts";
import { codeOf } from "../../util/errors.ts";

const OPTION = "--mcp-config";

/**
 * The arguments of the program with a file in the place of its servers: their headers and variables hold secrets, and
 * everybody on the machine can read a command line. The file is for the user alone, and is gone with the program.
 */
export function handedOver(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): { args: string[]; remove: () => void } {
  const at = args.indexOf(OPTION) + 1;
  const servers = args[at];
  if (at === 0 || !servers?.startsWith("{")) return { args: [...args], remove: () => {} };
  const folder = join(stateFolder(env), "handed-over");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeAbandoned(folder);
  const path = join(folder, `${process.pid}-${randomUUID()}.json`);
  writeFileSync(path, servers, { mode: 0o600, flag: "wx" });
  return { args: args.with(at, path), remove: () => rmSync(path, { force: true }) };
}

/** What a Baton that was killed left behind. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const owner = Number.parseInt(name, 10);
    if (owner > 0 && !isRunning(owner)) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
