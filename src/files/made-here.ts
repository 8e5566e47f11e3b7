import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, messageOf } from "../util/errors.ts";
import { fromJson, isFields } from "../util/json.ts";
import { takeLock } from "./holder-lock.ts";
import { narrowFolder } from "./own-folder.ts";
import { placeOfFile } from "./place-of-file.ts";
import { replaceFile } from "./replace.ts";
import { stateFolder } from "./state-folder.ts";

/**
 * What Baton made for this user on this machine, a small file each in the user's own state folder. A repository, an
 * archive or a package can bring a store, a document or a folder of worktrees, but no entry in here.
 */
export interface MadeStore {
  /** Random, and in the store itself too: a file that took the place of the store does not have it. */
  identity: number;
  /** Of the file. */
  inode: number;
}

/** The record cannot be read or written. In doubt nothing was made here. */
class MadeRecordError extends Error {
  override readonly name = "MadeRecordError";
}

export function madeStore(path: string): MadeStore | undefined {
  const read = entryOf(recordOf("store", placeOfFile(path)));
  if (!isFields(read) || typeof read.identity !== "number" || typeof read.inode !== "number")
    return undefined;
  return { identity: read.identity, inode: read.inode };
}

/** The files of all of them, some of which may be gone. */
export function madeStores(): string[] {
  const folder = join(stateFolder(), "made", "store");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => entryOf(join(folder, name)))
    .flatMap((read) => (isFields(read) && typeof read.path === "string" ? [read.path] : []));
}

export function recordStore(path: string, made: MadeStore): Promise<void> {
  const place = placeOfFile(path);
  return write(recordOf("store", place), { path: place, ...made });
}

/** One process at a time makes or adopts the store at a path. Returns what gives the lock back. */
export function lockStore(path: string): Promise<() => void> {
  return takeLock(`${recordOf("store", placeOfFile(path))}.lock`);
}

/** That worktrees of jobs are made in this folder. Removals go by this, never by a path in a store alone. */
export async function recordWorktreeFolder(folder: string): Promise<void> {
  const real = realpathSync(folder);
  if (!isWorktreeFolder(real)) await write(recordOf("worktrees", real), { path: real });
}

/** `folder` without links. */
export function isWorktreeFolder(folder: string): boolean {
  const read = entryOf(recordOf("worktrees", folder));
  return isFields(read) && read.path === folder;
}

/** That Baton wrote this text, in the file at this place where it counts there alone. Never keeps work from being stored. */
export async function recordText(text: string, place = ""): Promise<void> {
  await write(recordOf("texts", `${place}\0${text}`), {}).catch(() => {});
}

export function isOwnText(text: string, place = ""): boolean {
  return lstatSync(recordOf("texts", `${place}\0${text}`), { throwIfNoEntry: false })?.isFile() ?? false;
}

export function forgetText(text: string, place = ""): void {
  rmSync(recordOf("texts", `${place}\0${text}`), { force: true });
}

function recordOf(kind: "store" | "worktrees" | "texts", key: string): string {
  const name = createHash("sha256").update(key).digest("hex");
  return join(stateFolder(), "made", kind, `${name}.json`);
}

function entryOf(path: string): unknown {
  try {
    return fromJson(readFileSync(path, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw new MadeRecordError(
      `${path}, which says what Baton made here, cannot be read: ${messageOf(error)}`,
    );
  }
}

async function write(path: string, entry: object): Promise<void> {
  const folder = stateFolder();
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    narrowFolder(folder);
    await replaceFile(path, `${JSON.stringify(entry)}\n`, 0o600);
  } catch (error) {
    throw new MadeRecordError(
      `${folder} cannot be written, and Baton keeps there what it made on this machine: ${messageOf(error)}\nMake it writable, or set XDG_STATE_HOME to a folder of yours that is.`,
    );
  }
}
