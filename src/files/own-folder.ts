import { chmodSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { codeOf } from "../util/errors.ts";

const OWN_NAME = ".baton";

/**
 * Makes a folder that Baton keeps things in, which hides itself from the status of the checkout that it may lie in. A
 * folder that is there already is the user's, and not Baton's to hide, unless it has the name of Baton's own. What is in
 * `.baton` is for this user alone.
 */
export function makeOwnFolder(folder: string, ownName = OWN_NAME): void {
  const isPrivate = ownName === OWN_NAME;
  if (isPrivate && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${folder} is a link, and Baton keeps nothing behind one. Remove it.`);
  }
  const made = mkdirSync(folder, { recursive: true, ...(isPrivate && { mode: 0o700 }) }) !== undefined;
  if (!made && basename(folder) !== ownName) return;
  if (isPrivate) narrowFolder(folder);
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx", ...(isPrivate && { mode: 0o600 }) });
  } catch (error) {
    const isThere = codeOf(error) === "EEXIST";
    if (!isThere) throw error;
  }
}

const OF_OTHERS = 0o077;

/** Takes from others what an earlier Baton, or a generous umask, let them have. Of a link, or of another's folder, nothing. */
export function narrowFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return;
  if ((found.mode & OF_OTHERS) !== 0) chmodSync(folder, found.mode & 0o700);
}

/** The same for a file, which is not opened: to close it would give back the locks that this process has on it. */
export function narrowFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.uid !== process.getuid?.()) return;
  if ((found.mode & OF_OTHERS) !== 0) chmodSync(path, found.mode & 0o700);
}
