import { execFileSync } from "node:child_process";
import { onLinux, statOf } from "../processes/proc.ts";

/** Whether this process has the terminal: no shell has sent it to the background. */
export function inForeground(): boolean {
  try {
    return onLinux ? fromProc() : fromPs();
  } catch {
    return false;
  }
}

function fromProc(): boolean {
  const { group, foreground } = statOf("self");
  return group === foreground;
}

function fromPs(): boolean {
  const state = execFileSync("ps", ["-o", "stat=", "-p", String(process.pid)], { encoding: "utf8" });
  return state.includes("+");
}
