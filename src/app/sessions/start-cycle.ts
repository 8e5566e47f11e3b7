import { spawn } from "node:child_process";
import { ownProgram } from "../own-program.ts";

/** Continues after a stored handoff in a process that outlives the hook. */
export function startCycle(session: string): void {
  const args = [ownProgram, "internal", "cycle", session];
  spawn(process.execPath, args, { detached: true, stdio: "ignore" }).unref();
}
