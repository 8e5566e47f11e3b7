import type { Written } from "./keys.ts";

export interface View {
  /** What was said and done, a paragraph each. */
  conversation: readonly string[];
  isWorking: boolean;
  written: Written;
  footer: string;
  /** What is open over the prompt, if anything. */
  dialog: readonly string[] | undefined;
}

const SIGN = "❯ ";

/** The whole screen as Claude Code lays it out: the conversation, and under it a prompt between two rules. */
export function drawn(view: View, columns: number, rows: number): string {
  const rule = "─".repeat(columns);
  const bottom = view.dialog ?? [
    ...(view.isWorking ? ["✻ Working…", ""] : []),
    rule,
    ...promptLines(view.written, columns),
    rule,
    `  ${view.footer}`,
  ];
  const above = view.conversation.flatMap((paragraph) => [...wrapped(paragraph, columns), ""]);
  const room = Math.max(0, rows - bottom.length);
  const shown = above.slice(-room);
  const lines = [...shown, ...Array<string>(room - shown.length).fill(""), ...bottom];
  // Line by line over what is there: a screen that was cleared first could be seen empty.
  const screen = `\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`;
  return view.dialog ? screen : screen + cursorAt(view.written, columns, room + (view.isWorking ? 4 : 2));
}

/** The terminal's own cursor stands where the next character goes. `row`: of the prompt's first line, from 1. */
function cursorAt({ at }: Written, columns: number, row: number): string {
  const width = columns - 4;
  return `\u001b[${row + Math.floor(at / width)};${SIGN.length + 1 + (at % width)}H`;
}

function promptLines({ text, isShell }: Written, columns: number): string[] {
  const width = columns - 4;
  const pieces = text.match(new RegExp(`.{1,${width}}`, "gsu")) ?? [""];
  return pieces.map((piece, index) => (index === 0 ? (isShell ? "! " : SIGN) : "  ") + piece);
}

function wrapped(paragraph: string, columns: number): string[] {
  return paragraph.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let current = "";
    for (const word of line.split(" ")) {
      if (current !== "" && current.length + 1 + word.length > columns) {
        lines.push(current);
        current = `  ${word}`;
      } else current = current === "" ? word : `${current} ${word}`;
    }
    return [...lines, current];
  });
}
