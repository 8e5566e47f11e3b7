import { posix } from "node:path";
import type { GitState } from "./state.ts";

/** A file that differs from the commit that the work began from, relative to the folder of the work. */
export interface ChangedFile {
  path: string;
  change: "new" | "changed" | "deleted";
}

/** What git knows of them, committed since or not. The newest word on a file counts. */
export function changedFiles({ changes, changedSinceBase = [], prefix = "" }: GitState): ChangedFile[] {
  const files = new Map<string, ChangedFile["change"]>();
  const tell = (path: string, change: ChangedFile["change"]) => {
    const known = files.get(path);
    if (known !== "new" || change === "deleted") files.set(path, change);
  };
  for (const line of changedSinceBase) {
    const [status = "", ...paths] = line.split("\t").map(unquoted);
    const [first = "", second] = paths;
    if (second !== undefined && status.startsWith("R")) tell(first, "deleted");
    tell(second ?? first, changeOf(status));
  }
  for (const line of changes) {
    const [status, [first = "", second]] = [line.slice(0, 2), pathsIn(line.slice(3))];
    if (second !== undefined && status.includes("R")) tell(first, "deleted");
    tell(second ?? first, status === "??" ? "new" : changeOf(status.trim()));
  }
  return [...files].map(([path, change]) => ({
    path: prefix === "" ? path : posix.relative(prefix, path),
    change,
  }));
}

function changeOf(status: string): ChangedFile["change"] {
  if (/[ACR]/.test(status) && !status.endsWith("D")) return "new";
  return status.includes("D") ? "deleted" : "changed";
}

/** `old -> new` for what was renamed, each in quotes where git needs them. */
function pathsIn(text: string): string[] {
  const [, old, renamed] = /^("(?:[^"\\]|\\.)*"|.*?) -> (.+)$/.exec(text) ?? [];
  return (old !== undefined && renamed !== undefined ? [old, renamed] : [text]).map(unquoted);
}

const SIGNS: Record<string, string> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** As git quotes a path with unusual characters in it: like a string in C. */
function unquoted(path: string): string {
  if (!/^".*"$/s.test(path)) return path;
  return path.slice(1, -1).replace(/\\(?:([0-7]{3})|(.))/gs, (_, octal?: string, sign = "") => {
    return octal === undefined ? (SIGNS[sign] ?? sign) : String.fromCharCode(Number.parseInt(octal, 8));
  });
}
