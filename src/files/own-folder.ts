import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

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
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) throw error;
  }
}
