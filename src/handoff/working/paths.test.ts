import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNotWorkedOn, pathsIn } from "./paths.ts";

describe("the files that a text names", () => {
  it.each([
    ["/project/app/src/a.ts:12: error", ["src/a.ts"]],
    ["- `lib/web/router.ex` (modify)", ["lib/web/router.ex"]],
    ["see ./docs/plan.md.", ["docs/plan.md"]],
    [" modified:   test/deep/er/x_test.exs", ["test/deep/er/x_test.exs"]],
    ['"src/b.tsx", (src/c.css)', ["src/b.tsx", "src/c.css"]],
  ])("%s", (text, expected) => {
    expect(pathsIn(text, "/project/app")).toEqual(expected);
  });

  it.each([
    "https://example.com/a/b.html",
    "/usr/lib/node/x.js",
    "../other/x.ts",
    "~/notes/x.md",
    "node_modules/zod/index.js",
    "dist/main.js",
    "github.com/entireio/cli",
    "and/or",
    "1/2.5",
    "assets/app.min.js",
    "a/package-lock.json",
  ])("are not %s", (text) => {
    expect(pathsIn(text, "/project/app")).toEqual([]);
  });

  it("are read once, from the folder of the work", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 1_000 }), (text) => {
        const found = pathsIn(text, "/project/app");
        expect(new Set(found).size).toBe(found.length);
        for (const path of found) expect(path).toMatch(/^[^/].*\/.*\.\w+$/u);
      }),
    );
  });
});

it.each(["go.sum", "web/yarn.lock", "src/api.pb.go", "src/__generated__/x.ts", "vendor/a/b.go"])(
  "%s is nothing that anybody writes",
  (path) => {
    expect(isNotWorkedOn(path)).toBe(true);
  },
);
