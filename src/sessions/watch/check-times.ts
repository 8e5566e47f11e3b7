import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../files/replace.ts";
import { DAY_MS } from "../../util/time.ts";
import type { CheckTimes } from "./watch.ts";

const KEPT_MS = 7 * DAY_MS;

/** Kept in a small file, so that a watch that is started again does not send everybody a message at once. */
export async function checkTimes(path: string, now: () => number = Date.now): Promise<CheckTimes> {
  const times = new Map<string, number>(Object.entries(await read(path)));
  return {
    of: (session) => times.get(session),
    async set(session, at) {
      times.set(session, at);
      for (const [id, checked] of times) if (now() - checked > KEPT_MS) times.delete(id);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await replaceFile(path, JSON.stringify(Object.fromEntries(times)), 0o600);
    },
  };
}

async function read(path: string): Promise<Record<string, number>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, at]) => typeof at === "number"));
  } catch {
    return {};
  }
}
