import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Launch } from "../../agents/claude/own/launch.ts";

/** An environment holds secrets, and a command line can be read by everybody: it goes by a file of the user's own. */
export async function writeLaunch(folder: string, launch: Launch): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeUnread(folder);
  const path = join(folder, `${randomUUID()}.json`);
  await writeFile(path, JSON.stringify(launch), { mode: 0o600, flag: "wx" });
  return path;
}

const LONGEST_UNREAD_MS = 60 * 60_000;

/** A window that never came to read its file leaves secrets behind. */
async function removeUnread(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > LONGEST_UNREAD_MS) await rm(path, { force: true });
  }
}

/** Reads it once: the file is gone afterwards. */
export async function takeLaunch(path: string): Promise<Launch> {
  const text = await readFile(path, "utf8");
  await rm(path, { force: true });
  return JSON.parse(text);
}
