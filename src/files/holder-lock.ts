import { dirname } from "node:path";
import { liveness, type ProcessIdentity, thisProcessAtOnce } from "../processes/owner.ts";
import { codeOf } from "../util/errors.ts";

// Imported by name, files bring their promises along, which takes a hook longer than all it does.
const { lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync } = process.getBuiltinModule("node:fs");

/** Who holds a lock. `once` tells one holding from every other, also by the same process. */
interface Holder extends ProcessIdentity {
  once: string;
}

const LONGEST_HELD_MS = 10_000;
const POLL_MS = 3;

/**
 * Takes the lock at this path, and returns what gives it back. The lock is a symbolic link whose target names its holder,
 * so that both come into being in one step. It is broken at once when its holder is dead, and where that cannot be told
 * after ten seconds in which it was waited for here, whatever the clock says: no holder needs it for so long.
 */
export async function takeLock(path: string): Promise<() => void> {
  const once = Math.random().toString(36).slice(2);
  const mine = JSON.stringify({ ...thisProcessAtOnce(), once } satisfies Holder);
  let watched: Watched | undefined;
  let isMade = false;
  for (;;) {
    try {
      symlinkSync(mine, path);
      return () => {
        if (targetOf(path) === mine) unlinkSync(path);
      };
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT" && !isMade) {
        // Another process may make it in the same moment.
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        isMade = true;
        continue;
      }
      if (code !== "EEXIST") throw error;
    }
    const held = heldBy(path);
    if (held === undefined) continue;
    if (watched?.once !== held.once) watched = { once: held.once, since: performance.now() };
    if (!(await broken(path, held, watched))) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Breaks a lock that nobody will give back. Of several that find it so, one alone may remove it: another could otherwise
 * remove the lock that the first has taken meanwhile. So each holding has a lock of its own for whoever breaks it.
 */
async function broken(path: string, held: Held, watched: Watched): Promise<boolean> {
  if (!isLeft(held, watched)) return false;
  const release = await takeLock(`${path}.${held.once}`);
  try {
    if (heldBy(path)?.once === held.once) unlinkSync(path);
  } finally {
    release();
  }
  return true;
}

interface Held {
  once: string;
  holder?: Holder;
}

/** Since when this process has seen one holding, by a clock that nobody sets. */
interface Watched {
  once: string;
  since: number;
}

/** Undefined where nobody holds it any more. */
function heldBy(path: string): Held | undefined {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  if (!seen) return undefined;
  try {
    const holder: Holder = JSON.parse(readlinkSync(path));
    return { once: holder.once, holder };
  } catch {
    // Made by an earlier Baton, as a file that says nothing; or given back just now.
    return { once: `${seen.ino}-${Math.floor(seen.mtimeMs)}` };
  }
}

function isLeft({ holder }: Held, { since }: Watched): boolean {
  if (holder && liveness(holder) === "dead") return true;
  return performance.now() - since > LONGEST_HELD_MS;
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
