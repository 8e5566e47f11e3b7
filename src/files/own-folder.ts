import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { codeOf } from "../util/errors.ts";

/**
 * Makes a folder that Baton keeps things in, which hides itself from the status of the checkout that it may lie in. A
 * folder that is there already is the user's, and not Baton's to hide, unless it has the name of Baton's own.
 */
export function makeOwnFolder(folder: string, ownName = ".baton"): void {
  const made = mkdirSync(folder, { recursive: true }) !== undefined;
  if (!made && basename(folder) !== ownName) return;
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    const isThere = codeOf(error) === "EEXIST";
    if (!isThere) throw error;
  }
}
