import { resolve } from "node:path";
import type { TextChange } from "../../events.ts";

export interface FileChange {
  path: string;
  kind: "add" | "update" | "delete";
  changes: TextChange[];
}

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/m;

/** The files that a patch of the program's changes, as the model writes it. */
export function changesInPatch(patch: string, cwd: string): FileChange[] {
  return patch.split(/^(?=\*\*\* (?:Add|Update|Delete) File: )/m).flatMap((part) => {
    const [, word = "", path] = FILE.exec(part) ?? [];
    if (path === undefined) return [];
    const kind = word === "Add" ? "add" : word === "Delete" ? "delete" : "update";
    return [{ path: resolve(cwd, path), kind, changes: kind === "delete" ? [] : changesIn(part) }];
  });
}

/** What a diff puts in the place of what, by its hunks. */
export function changesIn(diff: string): TextChange[] {
  const changes: TextChange[] = [];
  for (const hunk of diff.split(/^@@.*$/m)) {
    const lines = hunk.split("\n").filter((line) => !/^(?:---|\+\+\+) /.test(line));
    const of = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
    const [removed, added] = [of("-"), of("+")];
    if (removed.length + added.length === 0) continue;
    changes.push({ ...(removed.length > 0 && { removed: removed.join("\n") }), added: added.join("\n") });
  }
  return changes;
}
