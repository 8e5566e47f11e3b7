import { expect, it } from "vitest";
import { isGenerated, patchRows } from "./patch-rows.ts";

const PATCH = `diff --git a/notes.txt b/notes.txt
old mode 100644
new mode 100755
index 1..2 100644
--- a/notes.txt
+++ b/notes.txt
@@ -1,2 +1,3 @@ heading
 one
--- two
+++ three
+four
@@ -10 +11,0 @@
-ten
\\ No newline at end of file
`;

it("numbers the lines of a patch in both files, whatever they begin with", () => {
  expect(patchRows(PATCH)).toEqual([
    { kind: "note", text: "old mode 100644" },
    { kind: "note", text: "new mode 100755" },
    { kind: "hunk", text: "@@ -1,2 +1,3 @@ heading" },
    { kind: "same", old: 1, now: 1, text: "one" },
    { kind: "removed", old: 2, text: "-- two" },
    { kind: "added", now: 2, text: "++ three" },
    { kind: "added", now: 3, text: "four" },
    { kind: "hunk", text: "@@ -10 +11,0 @@" },
    { kind: "removed", old: 10, text: "ten" },
    { kind: "note", text: "No newline at end of file" },
  ]);
  expect(patchRows("")).toEqual([]);
});

it("knows by its name what nobody wrote", () => {
  expect(
    ["package-lock.json", "web/dist/a.js", "x.min.js", "a/__snapshots__/b.snap"].every(isGenerated),
  ).toBe(true);
  expect(["src/lock.ts", "distance.ts", "notes.txt"].some(isGenerated)).toBe(false);
});
