import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isName, namesIn } from "./names.ts";

/** The names that count by themselves, not those that are words of prose so far. */
const names = (text: string) => [...namesIn(text)].filter(([, isCode]) => isCode).map(([name]) => name);

describe("the names in a text", () => {
  it.each([
    ["const payloadPath = readFile(statePath);", ["payloadPath", "readFile", "statePath"]],
    ["  base_commit: state.BaseCommit,", ["base_commit", "BaseCommit"]],
    ["transcript.append(checkpoint(x))", ["transcript", "checkpoint"]],
    ['{ "worktree": 1 }', ["worktree"]],
    ["MAX_RETRIES=3 sha256Sum $HOME_DIR", ["MAX_RETRIES", "sha256Sum", "$HOME_DIR"]],
    ["größenRechner(überschrift)", ["größenRechner"]],
  ])("%s", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it("leave prose out, until a word of it stands somewhere as code", () => {
    const text = "The checkpoint is different, as expected. It captures behavior.";
    expect(names(text)).toEqual([]);
    expect(namesIn(text).get("checkpoint")).toBe(false);
    expect(names(`${text}\ncheckpoint.save()`)).toEqual(["checkpoint"]);
  });

  it.each([
    "e64962ed3da0b1351aefa81cb6e2f2849a819d5d",
    "f5950b1c",
    "toolu_016ZnfQk3",
    "a1b2c3d4e5f6a7b8",
    "SFMyNTYg2gDaAJhBnQAAAADdwJpZG0AAAAUcGh4LUdKTk5j",
    "function",
    "interface",
    "________",
    "$1234567",
  ])("are not %s", (junk) => {
    expect(names(`x.${junk}(`)).toEqual([]);
  });

  it("are not looked for in what is minified", () => {
    expect(names(`var ${"shortName;".repeat(200)}`)).toEqual([]);
  });

  it("stand in the text, each once, and are names", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => {
        const found = [...namesIn(text).keys()];
        expect(new Set(found).size).toBe(found.length);
        for (const name of found) {
          expect(text).toContain(name);
          expect(isName(name)).toBe(true);
        }
      }),
    );
  });

  it("cost no more in a text of any length", () => {
    const [long, longer] = [200_000, 2_000_000].map((length) => "someName(otherName)\n".repeat(length / 20));
    expect(names(long ?? "")).toEqual(names(longer ?? ""));
  });
});
