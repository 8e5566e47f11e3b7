import { spawn } from "node:child_process";
import { ownProgram } from "../own-program.ts";

/** Continues after a stored handoff, or writes one from facts, in a process that outlives the hook. */
export function startBeside(what: "cycle" | "facts", session: string): void {
  const args = [ownProgram, "internal", what, session];
  spawn(process.execPath, args, { detached: true, stdio: "ignore" }).unref();
}
