import { expect, it } from "vitest";
import { patchRows } from "../../../../src/git/patch-rows.ts";
import { paired } from "./split.ts";

it("puts what was removed beside what came in its place, and keeps every row", () => {
  const rows = patchRows("@@ -1,4 +1,5 @@\n one\n-two\n-three\n+2\n+3\n+4\n five\n-six\n");
  expect(paired(rows)).toEqual([
    { left: 0 },
    { left: 1, right: 1 },
    { left: 2, right: 4 },
    { left: 3, right: 5 },
    { right: 6 },
    { left: 7, right: 7 },
    { left: 8 },
  ]);
});
