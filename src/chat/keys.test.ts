import { expect, it } from "vitest";
import { actionsOf, type KeyPress } from "./keys.ts";

const none: KeyPress = {
  ctrl: false,
  meta: false,
  return: false,
  escape: false,
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  home: false,
  end: false,
  backspace: false,
  delete: false,
  tab: false,
  shift: false,
};

const insert = (text: string) => ({ type: "edit", edit: { type: "insert", text } });

it.each([
  ["a", {}, [insert("a")]],
  ["\r", { return: true }, [{ type: "enter" }]],
  ["\r", { return: true, meta: true }, [insert("\n")]],
  ["", { escape: true }, [{ type: "escape" }]],
  ["c", { ctrl: true }, [{ type: "interrupt" }]],
  ["d", { ctrl: true }, [{ type: "end-of-input" }]],
  ["", { upArrow: true }, [{ type: "edit", edit: { type: "up" } }]],
  ["", { tab: true }, [{ type: "complete" }]],
  ["", { tab: true, shift: true }, []],
  ["x", { meta: true }, []],
  ["z", { ctrl: true }, []],
])("%j with %j asks for %j", (input, key, wanted) => {
  expect(actionsOf(input, { ...none, ...key })).toEqual(wanted);
});

it("takes the Enter that came along with the text", () => {
  expect(actionsOf("go on\r", none)).toEqual([insert("go on"), { type: "enter" }]);
  expect(actionsOf("\rand more", none)).toEqual([{ type: "enter" }, insert("and more")]);
});

it("takes other keys that came along with the text", () => {
  expect(actionsOf("/he\t\u0015x", none)).toEqual([
    insert("/he"),
    { type: "complete" },
    { type: "edit", edit: { type: "cut-to-start" } },
    insert("x"),
  ]);
});

it("keeps lines together that came at once", () => {
  expect(actionsOf("one\rtwo", none)).toEqual([insert("one\rtwo")]);
  expect(actionsOf("one\\\rtwo\r", none)).toEqual([insert("one\ntwo"), { type: "enter" }]);
});
