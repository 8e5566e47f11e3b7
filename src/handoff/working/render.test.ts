import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shownWorkingSet } from "./render.ts";
import { noWorkingSet, type WorkingName, type WorkingSet } from "./working-set.ts";

const NOTHING_ELSE = {
  rest: "",
  known: new Set<string>(),
  missing: new Set<string>(),
  most: { names: 120, seen: 60 },
};

function name(name: string, more: Partial<WorkingName> = {}): WorkingName {
  return { name, weight: 1, at: 0, window: 0, code: true, ...more };
}

function set(more: Partial<WorkingSet>): WorkingSet {
  return { ...noWorkingSet(), ...more };
}

const lines = (more: Partial<WorkingSet>, beside = {}) =>
  shownWorkingSet(set(more), { ...NOTHING_ELSE, ...beside }).lines;

describe("the working set in a document", () => {
  it("stands by file, newest first: what was changed there, what was read of it, and names that came with it", () => {
    const files = [
      { path: "a.go", at: 1, window: 0 },
      { path: "b.go", at: 2, window: 0, lines: [{ from: 10, to: 40 }, { from: 90 }] },
    ];
    const names = [
      name("LoadState", { file: "a.go", changed: true }),
      name("readFile", { file: "a.go", weight: 0.5 }),
      name("otherPath", { file: "b.go" }),
      name("fromText"),
    ];
    expect(lines({ files, names })).toEqual([
      "`b.go`: read lines 10–40, from line 90; with `otherPath`",
      "`a.go`: changed `LoadState`; with `readFile`",
      "Elsewhere: `fromText`",
    ]);
  });

  it("says what failed, what was searched for, and what was printed and not opened", () => {
    const shown = lines(
      {
        failures: [{ command: "go test ./...", tests: ["TestA", "TestB"], at: 1, window: 0 }],
        searches: [{ pattern: "func Load", path: "cmd", at: 1, window: 0 }],
        seen: [
          { path: "cmd/old.go", weight: 0.2, at: 1, window: 0 },
          { path: "cmd/new.go", weight: 1, at: 1, window: 0 },
          { path: "cmd/read.go", weight: 1, at: 1, window: 0 },
          { path: "cmd/gone.go", weight: 1, at: 1, window: 0 },
        ],
      },
      { known: new Set(["cmd/read.go"]), missing: new Set(["cmd/gone.go"]) },
    );
    expect(shown).toEqual([
      "Failed and not passed since: `TestA`, `TestB` (`go test ./...`)",
      "Searched for: `func Load` in `cmd`",
      "Named in what tools printed, not opened yet: `cmd/new.go`, `cmd/old.go`",
    ]);
  });

  it("does not say again what stands in the rest of the document, nor words of prose, nor what has faded", () => {
    const names = [name("saidAbove"), name("saidAboveToo"), name("proseWord", { code: false })];
    const faded = name("longAgo", { at: 0 });
    expect(
      lines(
        { calls: 40, names: [...names.map((one) => ({ ...one, at: 40 })), faded] },
        { rest: "(saidAbove)" },
      ),
    ).toEqual(["Elsewhere: `saidAboveToo`"]);
  });

  it("never lists more than 150 names, whatever there is", () => {
    const words = fc.stringMatching(/^[a-z]{4,8}[A-Z][a-z]{4,8}$/);
    const names = fc.uniqueArray(words, { maxLength: 400 }).map((all) => all.map((one) => name(one)));
    fc.assert(
      fc.property(names, (all) => {
        const listed =
          lines({ names: all })
            .join("\n")
            .match(/`[^`]+`/g) ?? [];
        expect(listed.length).toBe(Math.min(all.length, 120));
      }),
      { numRuns: 20 },
    );
  });
});
