import { describe, expect, it } from "vitest";
import { type Edit, type Editor, edited, entered, newEditor, rowsOf } from "./editor.ts";

/** `|` is where the cursor is. */
function written(text: string): Editor {
  const cursor = text.indexOf("|");
  return { ...newEditor(), text: text.replace("|", ""), cursor };
}

function shown({ text, cursor }: Editor): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const pressed = (editor: Editor, ...types: Exclude<Edit["type"], "insert" | "replace">[]) =>
  types.reduce((now, type) => edited(now, { type }), editor);

const typed = (editor: Editor, text: string) => edited(editor, { type: "insert", text });

describe("writing", () => {
  it("puts text where the cursor is, and ends lines in one way", () => {
    expect(shown(typed(written("a|d"), "b\r\nc\rx"))).toBe("ab\nc\nx|d");
  });

  it("takes nothing that would move the cursor of a terminal", () => {
    expect(shown(typed(newEditor(), "a\u001b[2Jb\u0007c\td"))).toBe("a[2Jbc\td|");
  });

  it.each([
    ["one| two", "left", "on|e two"],
    ["one| two", "right", "one |two"],
    ["|one", "left", "|one"],
    ["one|", "right", "one|"],
    ["a👩‍👩‍👧‍👦|b", "left", "a|👩‍👩‍👧‍👦b"],
    ["a👩‍👩‍👧‍👦|b", "backspace", "a|b"],
    ["a|👩‍👩‍👧‍👦b", "delete", "a|b"],
    ["one\ntwo| three", "line-start", "one\n|two three"],
    ["one\nt|wo\nthree", "line-end", "one\ntwo|\nthree"],
    ["one\ntwo| three", "cut-to-start", "one\n| three"],
    ["one\nt|wo\nthree", "cut-to-end", "one\nt|\nthree"],
    ["one two  |three", "cut-word", "one |three"],
    ["two|", "cut-word", "|"],
    ["one\ntwo|", "cut-word", "one\n|"],
    ["one\nlonger|\nend", "up", "one|\nlonger\nend"],
    ["one\nlo|nger\nend", "down", "one\nlonger\nen|d"],
    ["longer|\n", "down", "longer\n|"],
    ["gone|", "clear", "|"],
  ] as const)("%j and %s give %j", (before, edit, wanted) => {
    expect(shown(pressed(written(before), edit))).toBe(wanted);
  });
});

describe("Enter", () => {
  it("sends what is written, and leaves an empty line", () => {
    const { editor, message } = entered(written(" do it |"));
    expect(message).toBe("do it");
    expect(shown(editor)).toBe("|");
  });

  it("begins a new line after a backslash", () => {
    const { editor, message } = entered(written("one\\|two"));
    expect(message).toBeUndefined();
    expect(shown(editor)).toBe("one\n|two");
  });

  it("sends nothing when there is nothing to send", () => {
    expect(entered(written(" \n|"))).toEqual({ editor: newEditor() });
  });
});

describe("what was sent before", () => {
  const sent = (...messages: string[]) =>
    messages.reduce((editor, message) => entered(typed(editor, message)).editor, newEditor());

  it("comes back, newest first, and then what was being written", () => {
    const editor = typed(sent("first", "second"), "draft");
    expect(shown(pressed(editor, "up"))).toBe("second|");
    expect(shown(pressed(editor, "up", "up"))).toBe("first|");
    expect(shown(pressed(editor, "up", "up", "up"))).toBe("first|");
    expect(shown(pressed(editor, "up", "up", "down", "down"))).toBe("draft|");
    expect(shown(pressed(editor, "down"))).toBe("draft|");
  });

  it("is reached from the first line only", () => {
    const editor = typed(sent("first"), "a\nb");
    expect(shown(pressed(editor, "up"))).toBe("a|\nb");
    expect(shown(pressed(editor, "up", "up"))).toBe("first|");
  });

  it("is sent as something new once it is changed", () => {
    const changed = typed(pressed(sent("first", "second"), "up", "up"), "!");
    const { editor, message } = entered(changed);
    expect(message).toBe("first!");
    expect(editor.sent).toEqual(["first", "second", "first!"]);
  });

  it("does not hold the same twice in a row", () => {
    expect(sent("same", "same").sent).toEqual(["same"]);
  });
});

describe("on the screen", () => {
  it("breaks rows at the width, and knows where the cursor is", () => {
    expect(rowsOf(written("abcdef|g"), 3)).toEqual({ rows: ["abc", "def", "g"], row: 2, column: 0 });
    expect(rowsOf(written("abc|\nd"), 3)).toEqual({ rows: ["abc", "d"], row: 0, column: 3 });
    expect(rowsOf(written("abc\n|"), 3)).toEqual({ rows: ["abc", ""], row: 1, column: 0 });
  });

  it("counts wide characters as two columns", () => {
    expect(rowsOf(written("日本語|"), 4)).toEqual({ rows: ["日本", "語"], row: 1, column: 1 });
  });
});
