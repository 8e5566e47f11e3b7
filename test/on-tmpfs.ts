import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const TMPFS = "/dev/shm";
const ENOUGH_BYTES = 2 * 1024 ** 3;

/** Where there is room in memory, tests work there: a commit costs a thirtieth, and a SIGKILL proves the same. */
export default function setup(): (() => void) | undefined {
  if (!hasRoom()) return undefined;
  const folder = mkdtempSync(join(TMPFS, "baton-tests-"));
  // Some tests work as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function hasRoom(): boolean {
  try {
    accessSync(TMPFS, constants.W_OK);
    const { bavail, bsize } = statfsSync(TMPFS);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}
