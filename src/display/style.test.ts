import { expect, it } from "vitest";
import { coloured, onScreen, paintFor, plain } from "./style.ts";

const terminal = { isTTY: true };

it("colours a terminal, and nothing else", () => {
  expect(onScreen(paintFor(terminal, {})("red", "x"))).toBe("\u001b[31mx\u001b[39m");
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

it("lets through what Baton painted, and nothing that stands in the text itself", () => {
  const text = `\u001b[41m${coloured("red", "a\u001b[2Jb\u001b]0;t\u0007")}c\u009b5m`;
  expect(onScreen(text)).toBe("\u001b[31mab\u001b[39mc");
  expect(onScreen(coloured(["bold", "magenta"], "x"))).toBe("\u001b[1m\u001b[35mx\u001b[39m\u001b[22m");
});

it("cannot be asked for a colour by a text that looks painted", () => {
  const [mark = ""] = coloured("red", "x").split("31m");
  const forged = [...mark].map((unit) => (unit === "\ufdd0" ? "\ufdd1" : "\ufdd0")).join("");
  expect(onScreen(`${forged}31mx`)).toBe("31mx");
});
