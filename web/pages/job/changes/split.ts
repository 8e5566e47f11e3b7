import type { PatchRow } from "../../../../src/git/patch-rows.ts";

/** What stands beside each other, by place in the rows of a file: what was there, and what is. */
export interface Pair {
  left?: number;
  right?: number;
}

/** Removed lines beside those that were added in their place. */
export function paired(rows: readonly PatchRow[]): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at < rows.length; ) {
    const kind = rows[at]?.kind;
    if (kind !== "removed" && kind !== "added") {
      pairs.push(kind === "same" ? { left: at, right: at } : { left: at });
      at++;
      continue;
    }
    const removed = run(rows, at, "removed");
    const added = run(rows, at + removed, "added");
    for (let line = 0; line < Math.max(removed, added); line++) {
      pairs.push({
        ...(line < removed && { left: at + line }),
        ...(line < added && { right: at + removed + line }),
      });
    }
    at += removed + added;
  }
  return pairs;
}

function run(rows: readonly PatchRow[], from: number, kind: PatchRow["kind"]): number {
  let length = 0;
  while (rows[from + length]?.kind === kind) length++;
  return length;
}
