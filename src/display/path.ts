import { homedir } from "node:os";
import { relative, sep } from "node:path";

/** A path as short as it can be said from here: relative to this folder, or to the home folder. */
export function shortPath(path: string, cwd = process.cwd(), home = homedir()): string {
  const fromHere = relative(cwd, path);
  if (fromHere !== "" && !isOutside(fromHere)) return fromHere;
  const fromHome = relative(home, path);
  return isOutside(fromHome) ? path : `~${sep}${fromHome}`;
}

function isOutside(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`);
}
