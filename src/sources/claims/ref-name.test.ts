import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { claimRef } from "./ref-name.ts";

const NAMES = [
  ...[
    "17",
    "ENG-42",
    "a/b",
    "a=2fb",
    "a b",
    "..",
    ".",
    "",
    "a.lock",
    "-x",
    "é",
    "a~b^c:d?e*[f\\g",
    "@{",
    "\n",
  ],
  ...["x".repeat(180), "x".repeat(181), "x".repeat(182), "github:acme/app", "github:ghe.example/acme/app"],
];

it("gives every item a name of its own, and one that git takes", () => {
  const refs = NAMES.flatMap((source) => NAMES.map((item) => claimRef(source, item)));
  expect(new Set(refs).size).toBe(NAMES.length ** 2);
  for (const ref of new Set(NAMES.map((name) => claimRef(name, name)))) {
    expect(execFileSync("git", ["check-ref-format", "--normalize", ref], { encoding: "utf8" }).trim()).toBe(
      ref,
    );
    expect(ref.split("/")).toHaveLength(5);
  }
});
