import { expect, it } from "vitest";
import { coloured, oneLine, paintFor, plain, printable } from "./style.ts";

const terminal = { isTTY: true };

it("colours a terminal, and nothing else", () => {
  expect(paintFor(terminal, {})("red", "x")).toBe("\u001b[31mx\u001b[39m");
  expect(paintFor({}, {})).toBe(plain);
  expect(paintFor(terminal, { TERM: "dumb" })).toBe(plain);
});

it("honours NO_COLOR over everything, unless it is empty", () => {
  expect(paintFor(terminal, { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(plain);
  expect(paintFor(terminal, { NO_COLOR: "" })).toBe(coloured);
});

it("colours a pipe when FORCE_COLOR asks for it", () => {
  expect(paintFor({}, { FORCE_COLOR: "1" })).toBe(coloured);
  expect(paintFor({}, { FORCE_COLOR: "0" })).toBe(plain);
});

it("takes from foreign text what would move the cursor, ring, set a title or turn the writing", () => {
  expect(printable("a\u001b[31mb\u001b[2Jc\u0007d\u001b]0;title\u0007e\rf\u009b2Kg\u202eh")).toBe("abcdefgh");
  expect(printable("kept:\n\ttab and line")).toBe("kept:\n\ttab and line");
});

it("puts text on one line", () => expect(oneLine(" a\r\n\tb\u2028c ")).toBe("a b c"));
