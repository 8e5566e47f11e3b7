import { randomInt } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { lockStore, madeStore, recordStore } from "../../files/made-here.ts";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { connect } from "./connection.ts";

/** Where SQLite keeps a number that is the application's own. It is in the file before the first write-ahead log is. */
const APPLICATION_ID_AT = 68;
const PATIENCE_MS = 5_000;
const LARGEST = 2 ** 31 - 1;

/** What can be told of a store without opening it as a database, which may already change files. */
interface Seen {
  inode: number;
  size: number;
  identity: number;
}

/**
 * Makes the store of a project, where there is none. That it is made here is on record before it exists, with a number
 * that it then carries, so that a kill at any moment leaves a store that is known, or an empty one, or none.
 */
export async function makeStore(path: string): Promise<void> {
  if (existsSync(path) && madeStore(path)?.inode !== null) return;
  makeOwnFolder(dirname(path));
  const release = await lockStore(path);
  try {
    const made = madeStore(path);
    const isBegun = existsSync(path) && look(path).size > 0;
    if (isBegun && made?.inode !== null) return;
    const identity = isBegun && made ? made.identity : randomInt(1, LARGEST);
    if (!isBegun) {
      await recordStore(path, { identity, inode: null });
      stamp(path, identity);
    }
    await recordStore(path, { identity, inode: look(path).inode });
  } finally {
    release();
  }
}

/** Makes a store that is there this machine's own. Only for what the user has agreed to. */
export async function adoptStore(path: string): Promise<void> {
  const release = await lockStore(path);
  try {
    const identity = randomInt(1, LARGEST);
    stamp(path, identity);
    const seen = look(path);
    if (seen.identity !== identity) {
      throw new Error(`${path} is in use. End what works with it, then try again.`);
    }
    await recordStore(path, { identity, inode: seen.inode });
  } finally {
    release();
  }
}

/** Whether this is the very file that Baton made here. One that is empty yet holds nothing to be believed. */
export function isMadeHere(path: string): boolean {
  const made = madeStore(path);
  if (!made) return false;
  const seen = look(path);
  const isSame = made.inode === null || made.inode === seen.inode;
  return isSame && (seen.identity === made.identity || (seen.size === 0 && made.inode === null));
}

function stamp(path: string, identity: number): void {
  // SQLite makes files as open to others as the umask has it.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  const database = connect(path, "write", PATIENCE_MS);
  try {
    database.pragma(`application_id = ${identity}`);
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

function look(path: string): Seen {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { ino, size } = fstatSync(file);
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, 4, APPLICATION_ID_AT);
    return { inode: ino, size, identity: bytes.readInt32BE(0) };
  } finally {
    closeSync(file);
  }
}
