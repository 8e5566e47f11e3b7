import { join, resolve } from "node:path";

/** A path as it is written in a configuration: `~` is the home folder, and the rest is relative to `root`. */
export function absolute(path: string, { root, home }: { root: string; home: string }): string {
  const inHome = path === "~" || path.startsWith("~/");
  return inHome ? join(home, path.slice(1)) : resolve(root, path);
}
