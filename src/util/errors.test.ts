import { expect, it } from "vitest";
import { codeOf, messageOf } from "./errors.ts";

it("has words for whatever was thrown", () => {
  expect(messageOf(new TypeError("no"))).toBe("no");
  expect(messageOf("no")).toBe("no");
  expect(messageOf(undefined)).toBe("undefined");
});

it("knows a code only of errors that have one", () => {
  expect(codeOf(Object.assign(new Error("gone"), { code: "ENOENT" }))).toBe("ENOENT");
  expect(codeOf(new Error("gone"))).toBeUndefined();
  expect(codeOf({ code: "ENOENT" })).toBeUndefined();
});
