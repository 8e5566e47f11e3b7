import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Where a file lies, through whatever links its folder is reached. The file itself is not followed: a link in one
 * repository that leads to a file of another is another place.
 */
export function placeOfFile(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
