import { widthOf } from "../display/width.ts";

/** What a person is writing, and what they sent before. */
export interface Editor {
  text: string;
  /** Where the next character goes, as an offset that never lies within a character. */
  cursor: number;
  /** What was sent, oldest first. */
  sent: readonly string[];
  /** Which of `sent` is shown; its length stands for what is being written. */
  shown: number;
  /** What is being written, while one of `sent` is shown. */
  draft: string;
}

export type Edit =
  | { type: "insert"; text: string }
  /** Puts a text in the place of what stands from there to the cursor. */
  | { type: "replace"; from: number; text: string }
  | { type: "left" | "right" | "up" | "down" | "line-start" | "line-end" }
  | { type: "backspace" | "delete" | "cut-word" | "cut-to-start" | "cut-to-end" | "clear" };

export function newEditor(): Editor {
  return { text: "", cursor: 0, sent: [], shown: 0, draft: "" };
}

/** As if these had been sent before, oldest first. */
export function remembering(editor: Editor, earlier: readonly string[]): Editor {
  const news = earlier.filter((text, index) => text !== earlier[index + 1]);
  return { ...editor, sent: [...news, ...editor.sent], shown: editor.shown + news.length };
}

export function edited(editor: Editor, edit: Edit): Editor {
  const { text, cursor } = editor;
  switch (edit.type) {
    case "insert": {
      const added = plainText(edit.text);
      return changed(editor, text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);
    }
    case "replace":
      return edited(cut(editor, edit.from, cursor), { type: "insert", text: edit.text });
    case "left":
      return { ...editor, cursor: before(text, cursor) };
    case "right":
      return { ...editor, cursor: after(text, cursor) };
    case "up":
      return lineStart(text, cursor) === 0 ? recalled(editor, editor.shown - 1) : movedBy(editor, -1);
    case "down":
      return lineEnd(text, cursor) === text.length ? recalled(editor, editor.shown + 1) : movedBy(editor, 1);
    case "line-start":
      return { ...editor, cursor: lineStart(text, cursor) };
    case "line-end":
      return { ...editor, cursor: lineEnd(text, cursor) };
    case "backspace":
      return cut(editor, before(text, cursor), cursor);
    case "delete":
      return cut(editor, cursor, after(text, cursor));
    case "cut-word":
      return cut(editor, wordStart(text, cursor), cursor);
    case "cut-to-start":
      return cut(editor, lineStart(text, cursor), cursor);
    case "cut-to-end":
      return cut(editor, cursor, lineEnd(text, cursor));
    case "clear":
      return { ...editor, text: "", cursor: 0, shown: editor.sent.length, draft: "" };
  }
}

/** Enter sends, except after a backslash, which it turns into a new line. Nothing is no message. */
export function entered(editor: Editor): { editor: Editor; message?: string } {
  const { text, cursor } = editor;
  if (text[cursor - 1] === "\\") {
    return { editor: edited(cut(editor, cursor - 1, cursor), { type: "insert", text: "\n" }) };
  }
  const message = text.trim();
  if (message === "") return { editor: edited(editor, { type: "clear" }) };
  const sent = editor.sent.at(-1) === message ? editor.sent : [...editor.sent, message];
  return { editor: { ...newEditor(), sent, shown: sent.length }, message };
}

/** The text as rows of a screen, and where on them the cursor is. */
export function rowsOf(
  { text, cursor }: Pick<Editor, "text" | "cursor">,
  width: number,
): { rows: string[]; row: number; column: number } {
  const rows = [""];
  let used = 0;
  let at = { row: 0, column: 0 };
  for (const { segment, index } of graphemes.segment(text)) {
    const columns = widthOf(segment);
    if (segment !== "\n" && used + columns > width) {
      rows.push("");
      used = 0;
    }
    if (index === cursor) at = { row: rows.length - 1, column: rows.at(-1)?.length ?? 0 };
    if (segment === "\n") {
      rows.push("");
      used = 0;
    } else {
      rows[rows.length - 1] += segment === "\t" ? " " : segment;
      used += columns;
    }
  }
  if (cursor === text.length) at = { row: rows.length - 1, column: rows.at(-1)?.length ?? 0 };
  return { rows, ...at };
}

const graphemes = new Intl.Segmenter();

/** One way to end a line, and nothing that would move the cursor of a terminal. */
function plainText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
  );
}

/** Whoever changes what they had sent before writes something new. */
function changed(editor: Editor, text: string, cursor: number): Editor {
  return { ...editor, text, cursor, shown: editor.sent.length, draft: "" };
}

function cut(editor: Editor, from: number, to: number): Editor {
  if (from === to) return editor;
  return changed(editor, editor.text.slice(0, from) + editor.text.slice(to), from);
}

function recalled(editor: Editor, index: number): Editor {
  const { sent, shown, draft } = editor;
  if (index < 0 || index > sent.length) return editor;
  const kept = shown === sent.length ? editor.text : draft;
  const text = index === sent.length ? kept : (sent[index] ?? "");
  return { ...editor, text, cursor: text.length, shown: index, draft: kept };
}

/** One line up or down, as far from its start as before. */
function movedBy(editor: Editor, lines: -1 | 1): Editor {
  const { text, cursor } = editor;
  const column = cursor - lineStart(text, cursor);
  const start = lines === -1 ? lineStart(text, lineStart(text, cursor) - 1) : lineEnd(text, cursor) + 1;
  const wanted = Math.min(start + column, lineEnd(text, start));
  return { ...editor, cursor: wanted === text.length ? wanted : before(text, wanted + 1) };
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function wordStart(text: string, at: number): number {
  const end = text.slice(0, at).trimEnd().length;
  return (
    Math.max(
      text.lastIndexOf(" ", end - 1),
      text.lastIndexOf("\n", end - 1),
      text.lastIndexOf("\t", end - 1),
    ) + 1
  );
}

function before(text: string, at: number): number {
  let last = 0;
  for (const { index } of graphemes.segment(text)) {
    if (index >= at) break;
    last = index;
  }
  return last;
}

function after(text: string, at: number): number {
  const [next] = graphemes.segment(text.slice(at));
  return at + (next?.segment.length ?? 0);
}
