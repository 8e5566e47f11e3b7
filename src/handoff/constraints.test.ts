import { describe, expect, it } from "vitest";
import { constraintsIn } from "./constraints.ts";

describe("the constraints in what a user says", () => {
  it("are its binding sentences, word for word", () => {
    const text =
      "Add a login page. Use the existing form component, do not add dependencies. The copy must stay in German.";
    expect(constraintsIn(text)).toEqual([
      "Use the existing form component, do not add dependencies.",
      "The copy must stay in German.",
    ]);
  });

  it("are found in lists too, one by one", () => {
    const text = "Refactor it:\n- Never touch the migrations\n- Rename freely\n- Keep the public API\n";
    expect(constraintsIn(text)).toEqual(["Never touch the migrations", "Keep the public API"]);
  });

  it("are not looked for in code", () => {
    expect(constraintsIn("Fix this:\n```\nif (!must) return never;\n```\n")).toEqual([]);
  });

  it("are none where nothing binds", () => {
    expect(constraintsIn("Fix the login bug")).toEqual([]);
  });
});
