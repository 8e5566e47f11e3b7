import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Goes on after a stored handoff in a process that outlives the hook. */
export function startCycle(session: string): void {
  const script = fileURLToPath(new URL("../../bin/baton.js", import.meta.url));
  const args = [script, "internal", "cycle", session];
  spawn(process.execPath, args, { detached: true, stdio: "ignore" }).unref();
}
