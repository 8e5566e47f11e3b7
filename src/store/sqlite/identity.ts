import { randomInt } from "node:crypto";
import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { lockStore, madeStore, recordStore } from "../../files/made-here.ts";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { codeOf } from "../../util/errors.ts";
import { connect } from "./connection.ts";

const PATIENCE_MS = 5_000;
const LARGEST = 2 ** 31 - 1;

/**
 * Makes the store of a project, where there is none. It is made under another name, with a number of its own in it, and gets
 * its name once it is on record: a kill at any moment leaves a store that is known, or none.
 */
export async function makeStore(path: string): Promise<void> {
  if (existsSync(path)) return;
  makeOwnFolder(dirname(path));
  const release = await lockStore(path);
  try {
    if (existsSync(path)) return;
    const making = `.making-${basename(path)}-`;
    sweep(dirname(path), making);
    const draft = join(dirname(path), `${making}${randomInt(LARGEST)}`);
    closeSync(openSync(draft, "wx", 0o600));
    const identity = stamped(draft);
    await recordStore(path, { identity, inode: lstatSync(draft).ino });
    giveName(draft, path);
  } finally {
    release();
  }
}

/** Never in the place of another. Some disks know no second names: there nobody else makes one meanwhile, by the lock. */
function giveName(draft: string, path: string): void {
  try {
    linkSync(draft, path);
    rmSync(draft);
  } catch (error) {
    if (!NO_SECOND_NAMES.has(String(codeOf(error)))) throw error;
    renameSync(draft, path);
  }
}

const NO_SECOND_NAMES = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** What a kill left. */
function sweep(folder: string, beginning: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(beginning)) rmSync(join(folder, name), { force: true });
  }
}

/** Makes a store that is there this machine's own. Only for what the user has agreed to. */
export async function adoptStore(path: string): Promise<void> {
  const release = await lockStore(path);
  try {
    const identity = stamped(path);
    await recordStore(path, { identity, inode: lstatSync(path).ino });
  } finally {
    release();
  }
}

/**
 * Whether this is the very file that Baton made here. One that is no database any more is: whoever opens it says so. The
 * store is always kept with a write-ahead log, so that a journal to be played back is not its own.
 */
export function isMadeHere(path: string): boolean {
  const made = madeStore(path);
  if (!made || made.inode !== lstatSync(path).ino || existsSync(`${path}-journal`)) return false;
  const identity = identityOf(path);
  return identity === undefined || identity === made.identity;
}

/** Gives a database its number, and the write-ahead log that every store has. */
function stamped(path: string): number {
  const identity = randomInt(1, LARGEST);
  const database = connect(path, "write", PATIENCE_MS);
  try {
    database.pragma(`application_id = ${identity}`);
    database.pragma("journal_mode = wal");
    return identity;
  } finally {
    database.close();
  }
}

/** Asked of SQLite: to open and close the file by hand would give back the locks that this process has on it. */
function identityOf(path: string): number | undefined {
  try {
    const database = connect(path, "read", PATIENCE_MS);
    try {
      return Number(database.pragma("application_id", { simple: true }));
    } finally {
      database.close();
    }
  } catch {
    // Locked, damaged, or unreadable: nothing in it is believed before it can be opened.
    return undefined;
  }
}
