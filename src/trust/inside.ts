import { realpathSync } from "node:fs";
import { isWithin } from "../files/inside.ts";

/** Whether a path leads out of a folder, by its name or through a link. What is not there leads where its name says. */
export function leavesFolder(folder: string, path: string): boolean {
  if (!isWithin(folder, path)) return true;
  try {
    return !isWithin(realpathSync(folder), realpathSync(path));
  } catch {
    return false;
  }
}
