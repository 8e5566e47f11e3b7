import { describe, expect, it } from "vitest";
import type { IgnoredFile } from "./find.ts";
import { isRemade } from "./remade.ts";
import { named, sortOut } from "./sort-out.ts";

const MB = 1024 * 1024;
const file = (path: string, bytes = 10, more: Partial<IgnoredFile> = {}): IgnoredFile => ({
  path,
  bytes,
  within: path,
  embedded: false,
  ...more,
});
const sorted = (files: IgnoredFile[], brought = new Map(), secrets = new Set<string>()) =>
  Object.fromEntries(
    sortOut(files, brought, secrets).map((one) => [one.path, one.to === "nowhere" ? one.why : one.to]),
  );

describe("an ignored file of a job", () => {
  it("is in the checkpoint where it is small", () => {
    expect(sorted([file("report.html"), file("data/app.db", MB)])).toEqual({
      "report.html": "checkpoint",
      "data/app.db": "checkpoint",
    });
  });

  it.each([
    ["larger than that", file("app.db", MB + 1), "is too large for a checkpoint"],
    [
      "in a repository of its own",
      file("clone/a.txt", 10, { embedded: true }),
      "is in a repository of its own",
    ],
    ["named as one of secrets", file("config/.env.local"), "holds secrets"],
    ["a key", file("server.pem"), "holds secrets"],
    ["one that says a secret", file("said.txt"), "holds secrets"],
  ])("is not where it is %s, and says why", (_what, one, why) => {
    expect(sorted([one], new Map(), new Set(["said.txt"]))).toEqual({ [one.path]: why });
  });

  it("is not where there is too much beside it: the smallest come first", () => {
    const many = ["a", "b", "c", "d", "e"].map((name, index) => file(name, MB - index));
    expect(sorted(many)).toEqual({
      a: "is too much beside the others",
      b: "checkpoint",
      c: "checkpoint",
      d: "checkpoint",
      e: "checkpoint",
    });
  });

  it("is in the project where it was brought back, whatever it is", () => {
    expect(sorted([file(".env", 3 * MB)], new Map([[".env", {}]]))).toEqual({ ".env": "project" });
  });

  it("is named with its folder where that is ignored as a whole", () => {
    const within = "reports/";
    const files = [file("reports/a", 1, { within }), file("reports/b", 2, { within }), file("c", 3)];
    expect(named(sortOut(files, new Map(), new Set(["reports/b"])))).toEqual([
      { path: "reports/", files: 1, bytes: 1, to: "checkpoint" },
      { path: "reports/", files: 1, bytes: 2, to: "nowhere", why: "holds secrets" },
      { path: "c", files: 1, bytes: 3, to: "checkpoint" },
    ]);
  });
});

it("packages, builds, environments and caches are made again by their tools; reports, logs and databases are not", () => {
  const remade =
    "node_modules/x web/dist/ target/debug/a .venv/lib __pycache__/a.pyc .pytest_cache/v .eslintcache a/b.o";
  expect(remade.split(" ").filter((path) => !isRemade(path))).toEqual([]);
  const made = "report.html coverage/index.html app.log data/app.db distance.txt targets.csv .env";
  expect(made.split(" ").filter(isRemade)).toEqual([]);
});
