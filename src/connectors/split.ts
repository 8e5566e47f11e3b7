import type { Said } from "./connector.ts";

/** More messages than this are a flood: the text is attached then. */
const MOST_MESSAGES = 5;

/** How an answer is said within the limit of one message: as several, or as its beginning with the whole of it in a file. */
export function asMessages(text: string, limit: number): Pick<Said, "text" | "file">[] {
  const pieces = split(text, limit);
  if (pieces.length <= MOST_MESSAGES) return pieces.map((piece) => ({ text: piece }));
  const note = `\n\n_The answer has ${text.length} characters: all of it is attached._`;
  const [first = ""] = split(text, limit - note.length);
  return [{ text: `${first}${note}`, file: { name: "answer.md", content: text } }];
}

interface Fence {
  marker: string;
  info: string;
}

interface Block {
  lines: string[];
  fence?: Fence;
}

/**
 * Markdown in pieces of so many characters at most. A code block stays whole where it fits into one piece; a longer one ends in
 * each piece and begins again in the next.
 */
export function split(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  const flush = () => {
    if (piece.trim() !== "") pieces.push(piece.replace(/^\n+|\s+$/g, ""));
    piece = "";
  };
  for (const block of blocksOf(text, limit)) {
    for (const part of partsOf(block, limit)) {
      const gap = piece === "" ? "" : "\n";
      if (piece.length + gap.length + part.length > limit) flush();
      piece = piece === "" ? part : `${piece}\n${part}`;
    }
  }
  flush();
  return pieces;
}

/** Paragraphs with the empty lines after them, and code blocks. One that nobody closed is closed. */
function blocksOf(text: string, limit: number): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const line of text.replace(/\r\n?/g, "\n").split("\n")) {
    const last = blocks.at(-1);
    if (open?.fence) {
      open.lines.push(line);
      if (closes(line, open.fence)) open = undefined;
      continue;
    }
    const fence = fenceOf(line, limit);
    if (fence) {
      open = { lines: [line], fence };
      blocks.push(open);
    } else if (last && !last.fence && (line.trim() === "" || last.lines.at(-1)?.trim() !== "")) {
      last.lines.push(line);
    } else blocks.push({ lines: [line] });
  }
  if (open?.fence) open.lines.push(open.fence.marker);
  return blocks;
}

function fenceOf(line: string, limit: number): Fence | undefined {
  const [, marker, info = ""] = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line) ?? [];
  // One that is longer than what it could hold is no fence that could be repeated.
  if (marker === undefined || marker.length > limit / 8) return undefined;
  return { marker, info: info.trim().slice(0, Math.floor(limit / 8)) };
}

function closes(line: string, { marker }: Fence): boolean {
  const trimmed = line.trim();
  return trimmed.length >= marker.length && trimmed === (marker[0] ?? "").repeat(trimmed.length);
}

/** A block, or what fits of it one by one. */
function partsOf({ lines, fence }: Block, limit: number): string[] {
  const whole = lines.join("\n");
  if (whole.length <= limit) return [whole];
  if (!fence) return packed(lines, limit);
  const begin = `${fence.marker}${fence.info}\n`;
  const end = `\n${fence.marker}`;
  const inside = lines.slice(1, -1);
  return packed(inside, limit - begin.length - end.length).map((part) => `${begin}${part}${end}`);
}

/** Lines together, as many as fit. */
function packed(lines: readonly string[], limit: number): string[] {
  const parts: string[] = [];
  for (const piece of lines.flatMap((line) => cut(line, limit))) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + 1 + piece.length <= limit)
      parts[parts.length - 1] = `${last}\n${piece}`;
    else parts.push(piece);
  }
  return parts;
}

/** A long line, between words where there are any, and never within a character. */
function cut(line: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > limit) {
    const space = rest.lastIndexOf(" ", limit);
    const at = space > limit / 2 ? space : within(rest, limit);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest];
}

/** Where a text can be cut: there, or just before, where a character would be cut in two. */
export function within(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff && at > 1 ? at - 1 : at;
}
