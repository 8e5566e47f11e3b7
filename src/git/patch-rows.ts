/** A line of a patch as people read it. */
export interface PatchRow {
  kind: "hunk" | "same" | "added" | "removed" | "note";
  /** In the file before, and in the file now. */
  old?: number;
  now?: number;
  text: string;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/** The rows of one file's patch, without git's head. What is not in a hunk, such as a change of mode, is a note. */
export function patchRows(patch: string): PatchRow[] {
  const rows: PatchRow[] = [];
  let [old, now, isIn] = [0, 0, false];
  const lines = patch.endsWith("\n") ? patch.slice(0, -1).split("\n") : patch.split("\n");
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      [old, now, isIn] = [Number(hunk[1]), Number(hunk[2]), true];
      rows.push({ kind: "hunk", text: line });
    } else if (!isIn) {
      if (isNote(line)) rows.push({ kind: "note", text: line });
    } else if (line.startsWith("+")) rows.push({ kind: "added", now: now++, text: line.slice(1) });
    else if (line.startsWith("-")) rows.push({ kind: "removed", old: old++, text: line.slice(1) });
    else if (line.startsWith("\\")) rows.push({ kind: "note", text: line.slice(2) });
    else if (line.startsWith("diff --git ")) isIn = false;
    else rows.push({ kind: "same", old: old++, now: now++, text: line.slice(1) });
  }
  return rows;
}

const NOTES = ["new file", "deleted file", "old mode", "new mode", "rename", "copy", "Binary files"];

const isNote = (line: string) => NOTES.some((note) => line.startsWith(note));

/** What no person writes, by its name: it is folded until somebody wants it. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|Gemfile\.lock|poetry\.lock|uv\.lock|composer\.lock|go\.sum)$|(?:^|\/)(?:dist|build|vendor|node_modules|__snapshots__)\/|\.(?:min\.js|min\.css|map|snap|pb\.go)$/;

export const isGenerated = (path: string) => GENERATED.test(path);
