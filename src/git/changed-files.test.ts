import { expect, it } from "vitest";
import { changedFiles } from "./changed-files.ts";

it("tells every file that git knows to differ, committed or not, each once", () => {
  const git = {
    commits: [],
    changedSinceBase: ["M\tsrc/a.ts", "A\tsrc/new.ts", "D\tsrc/gone.ts", "R100\told.ts\tnamed.ts"],
    changes: [" M src/new.ts", "?? notes with space.txt", '?? "a\\tb.txt"', "R  x.ts -> y.ts", " D src/a.ts"],
  };
  expect(changedFiles(git)).toEqual([
    { path: "src/a.ts", change: "deleted" },
    { path: "src/new.ts", change: "new" },
    { path: "src/gone.ts", change: "deleted" },
    { path: "old.ts", change: "deleted" },
    { path: "named.ts", change: "new" },
    { path: "notes with space.txt", change: "new" },
    { path: "a\tb.txt", change: "new" },
    { path: "x.ts", change: "deleted" },
    { path: "y.ts", change: "new" },
  ]);
});

it("names files from the folder of the work, where that is not the top of the repository", () => {
  const git = { commits: [], prefix: "app/", changes: ["?? app/a.ts", " M lib/b.ts"] };
  expect(changedFiles(git)).toEqual([
    { path: "a.ts", change: "new" },
    { path: "../lib/b.ts", change: "changed" },
  ]);
});
