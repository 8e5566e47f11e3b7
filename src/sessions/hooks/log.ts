import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stateFolder } from "../../files/state-folder.ts";

const MOST_BYTES = 64 * 1024;

export function hookLogPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateFolder(env), "hook.log");
}

/** Puts down why a hook did nothing. What cannot be written is nobody's loss: the session goes on. */
export function logHook(path: string, message: string, now = new Date()): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) keepNewest(path);
    appendFileSync(path, `${now.toISOString()} ${message.replaceAll(/\s+/g, " ").trim()}\n`, { mode: 0o600 });
  } catch {
    // There is no better place to say so.
  }
}

/** The newest lines, the newest last. */
export function newestOfHookLog(path: string, count: number): string[] {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").filter(Boolean).slice(-count);
  } catch {
    return [];
  }
}

function keepNewest(path: string): void {
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, lines.slice(Math.floor(lines.length / 2)).join("\n"), { mode: 0o600 });
}
