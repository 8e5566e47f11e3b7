import type { Edit } from "./editor.ts";

/** What a key, or a piece of text that came at once, asks for. */
export type Action =
  | { type: "edit"; edit: Edit }
  | { type: "enter" }
  | { type: "complete" }
  | { type: "escape" }
  | { type: "interrupt" }
  | { type: "end-of-input" };

/** A key as Ink tells it, as far as it is of use here. */
export interface KeyPress {
  ctrl: boolean;
  meta: boolean;
  return: boolean;
  escape: boolean;
  upArrow: boolean;
  downArrow: boolean;
  leftArrow: boolean;
  rightArrow: boolean;
  home: boolean;
  end: boolean;
  backspace: boolean;
  delete: boolean;
  tab: boolean;
  shift: boolean;
}

export function actionsOf(input: string, key: KeyPress): Action[] {
  if (key.escape) return [{ type: "escape" }];
  if (key.return) return key.meta ? [inserted("\n")] : [{ type: "enter" }];
  if (key.ctrl) return withControl(input);
  const move = moveOf(key);
  if (move) return [{ type: "edit", edit: { type: move } }];
  if (key.tab && !key.shift) return [{ type: "complete" }];
  if (key.meta || key.tab) return [];
  return typed(input);
}

/**
 * Who types fast, or a program, sends the Enter along: at the end, or before what comes next. Lines within belong to one
 * message, as when they are pasted.
 */
function typed(input: string): Action[] {
  if (input === "") return [];
  const at = input.search(CONTROL);
  if (at !== -1)
    return [...typed(input.slice(0, at)), ...pressed(input.charAt(at)), ...typed(input.slice(at + 1))];
  if (input.startsWith("\r")) return [{ type: "enter" }, ...typed(input.slice(1))];
  const text = input.replaceAll("\\\r", "\n");
  if (!/[^\r]\r$/.test(text)) return [inserted(text)];
  return [inserted(text.slice(0, -1)), { type: "enter" }];
}

/** A key with Ctrl, and Tab. What is pasted comes another way. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the keys
const CONTROL = /[\u0001-\u0009\u000b\u000c\u000e-\u001a]/;

function pressed(control: string): Action[] {
  if (control === "\t") return [{ type: "complete" }];
  return withControl(String.fromCharCode(control.charCodeAt(0) + 0x60));
}

function inserted(text: string): Action {
  return { type: "edit", edit: { type: "insert", text } };
}

function withControl(letter: string): Action[] {
  switch (letter) {
    case "c":
      return [{ type: "interrupt" }];
    case "d":
      return [{ type: "end-of-input" }];
    case "a":
      return [{ type: "edit", edit: { type: "line-start" } }];
    case "e":
      return [{ type: "edit", edit: { type: "line-end" } }];
    case "k":
      return [{ type: "edit", edit: { type: "cut-to-end" } }];
    case "u":
      return [{ type: "edit", edit: { type: "cut-to-start" } }];
    case "w":
      return [{ type: "edit", edit: { type: "cut-word" } }];
    default:
      return [];
  }
}

function moveOf(key: KeyPress): Exclude<Edit["type"], "insert" | "replace"> | undefined {
  if (key.upArrow) return "up";
  if (key.downArrow) return "down";
  if (key.leftArrow) return "left";
  if (key.rightArrow) return "right";
  if (key.home) return "line-start";
  if (key.end) return "line-end";
  if (key.backspace) return "backspace";
  if (key.delete) return "delete";
  return undefined;
}
