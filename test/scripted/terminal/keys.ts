/** What is written at the prompt, and where the cursor is. */
export interface Written {
  text: string;
  at: number;
  /** What is written would be run by a shell. Its sign is no part of the text. */
  isShell?: boolean;
}

export type Pressed = { kind: "edit"; written: Written } | { kind: "enter" } | { kind: "escape" };

export const nothingWritten: Written = { text: "", at: 0 };

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are made of them
const KEYS = /\u001b\[3~|\u001b|[\u0001\u0005\u0015\u007f\r\n]|[^\u0000-\u001f\u007f]+/g;

/** The keys of one read, in order. */
export function keysIn(bytes: string): string[] {
  return [...bytes.matchAll(KEYS)].map(([key]) => key);
}

/** The keys of Claude Code's prompt that a person, or Baton in their place, presses in tests. */
export function press(key: string, { text, at, isShell = false }: Written): Pressed {
  const edit = (before: string, after: string): Pressed => ({
    kind: "edit",
    written: { text: before + after, at: before.length, isShell },
  });
  switch (key) {
    case "\r":
    case "\n":
      return { kind: "enter" };
    case "\u001b":
      return { kind: "escape" };
    case "\u0001":
      return { kind: "edit", written: { text, at: 0, isShell } };
    case "\u0005":
      return { kind: "edit", written: { text, at: text.length, isShell } };
    case "\u0015":
      return edit("", text.slice(at));
    case "\u007f":
      if (text === "") return { kind: "edit", written: nothingWritten };
      return edit(text.slice(0, Math.max(0, at - 1)), text.slice(at));
    case "\u001b[3~":
      return edit(text.slice(0, at), text.slice(at + 1));
    default:
      if (text === "" && !isShell && key.startsWith("!")) {
        return press(key.slice(1), { text: "", at: 0, isShell: true });
      }
      return edit(text.slice(0, at) + key, text.slice(at));
  }
}
